def markdown(record): return ""
def draw(record, place): pass

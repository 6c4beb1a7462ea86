from crosslabel.displays.atoms import AtomsDisplay as AtomsDisplay
from crosslabel.displays.codes import CodesDisplay as CodesDisplay
from crosslabel.displays.explanation import ExplanationDisplay as ExplanationDisplay
from crosslabel.displays.rules import RulesDisplay as RulesDisplay

from dataclasses import FrozenInstanceError

import pytest

from crosslabel.flagship.choice import Choice, Member
from crosslabel.flagship.problem import Settings
from crosslabel.intake.lift import Lift


def test_a_member_is_a_rule_alone_whose_share_is_still_open():
    member = Member(Lift(), Settings(), "local")
    assert (member.share, member.shrinkage, member.discriminant_share) == (None, None, 0.0)


def test_choices_share_no_scores_and_cannot_be_changed():
    one, two = Choice(()), Choice(())
    assert one.scores is not two.scores
    assert one.n_samples == 0.0
    with pytest.raises(FrozenInstanceError):
        one.n_samples = 3.0

"""The games as environments for learning agents. An agent sees what a seat may see, and nothing else.

- ``sobremesa.envs.zoo``: PettingZoo, one after the other (``aec``) or all at once (``parallel``)
- ``sobremesa.envs.gym``: Gymnasium, alone or against fixed opponents; importing it registers ``sobremesa/knister-v1``
- ``sobremesa.envs.openspiel``: OpenSpiel; importing it registers ``sobremesa_knister`` and so on

All work for every game in the registry, those of other packages included. docs/research/interfaces.md explains them.
"""

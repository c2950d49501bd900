"""The page of a connect link: people without a login connect accounts to one profile, and see nothing else."""

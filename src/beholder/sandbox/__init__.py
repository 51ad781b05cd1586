"""Where model-written Python runs: a warm process behind bubblewrap, reached by pipes, bounded in everything.

`limits`        what a process may use
`backends`      which sandbox is used: `bwrap`, `docker`, `podman`, or none at all
`pool`          the processes of a run, and the conversations that hold them
`process`       one started process, and one call to it
`reply`         what comes back, read as if the model had forged it
`worker`, `worker_setup`, `worker_pictures`   what runs inside, with nothing else of Beholder

Import from these modules: this package imports nothing by itself.
"""

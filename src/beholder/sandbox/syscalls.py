"""The numbers of the system calls that the sandbox refuses, for the two machines that it knows.

They are the kernel's own numbers (Linux, `unistd_64.h` of x86 and the generic table that 64-bit ARM uses). A call that
a machine does not have is None.
"""

from __future__ import annotations

MACHINES = ("x86_64", "aarch64")

NEWEST = 462
"""Numbers above this one are refused as unknown: what a newer kernel adds was not looked at. On both machines."""

CLONE = (56, 220)
CLONE3 = (435, 435)
SOCKET = (41, 198)
SOCKETPAIR = (53, 199)
FCNTL = (72, 25)
IOCTL = (16, 29)

REFUSED: dict[str, tuple[int | None, int | None]] = {
    # other processes
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    "move_pages": (279, 239),
    "migrate_pages": (256, 238),
    # mounts and namespaces
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "statmount": (457, 457),
    "listmount": (458, 458),
    "unshare": (272, 97),
    "setns": (308, 268),
    # files by other ways than their names
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "fanotify_init": (300, 262),
    "fanotify_mark": (301, 263),
    "mknod": (133, None),
    "mknodat": (259, 33),
    # large or young parts of the kernel that have been ways out
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "io_setup": (206, 0),
    "io_submit": (209, 2),
    "vmsplice": (278, 75),
    "remap_file_pages": (216, 234),
    "modify_ldt": (154, None),
    "personality": (135, 92),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    # memory that no limit of a process counts
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "mq_open": (240, 180),
    # what the user's other processes, and this machine's, would miss, wait for or be seen by
    "inotify_init": (253, None),
    "inotify_init1": (294, 26),
    "flock": (73, 32),
    "sync": (162, 81),
    "syncfs": (306, 267),
    # a signal to oneself, later: it would wake a worker that was stopped
    "timer_create": (222, 107),
    # the machine
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "create_module": (174, None),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "query_module": (178, None),
    "get_kernel_syms": (177, None),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "syslog": (103, 116),
    "_sysctl": (156, None),
    "sysfs": (139, None),
    "ustat": (136, None),
    "uselib": (134, None),
    "nfsservctl": (180, 42),
    "lookup_dcookie": (212, 18),
    "vhangup": (153, 58),
    "iopl": (172, None),
    "ioperm": (173, None),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "clock_adjtime": (305, 266),
    "adjtimex": (159, 171),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
}
"""Refused whatever their arguments are: name to (number on x86_64, number on aarch64)."""

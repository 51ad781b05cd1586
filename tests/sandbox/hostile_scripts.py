"""Scripts that attack the sandbox. Each says what must come back; what must *not* have happened is the same for all.

`PORT`, `CANARY`, `SECRET` and `SOCKET` stand for a listener on this machine's loopback, a file that anybody here may
write, a file that anybody may read, and a Unix socket that listens.
"""

from __future__ import annotations

from typing import NamedTuple


class Hostile(NamedTuple):
    """`outcomes`: what the call may come back as, in words of `CallOutcome`. `said`: a text that must be in it."""

    name: str
    code: str
    outcomes: str
    said: str = ""


SYSCALL = """\
import ctypes, errno, platform
libc = ctypes.CDLL(None, use_errno=True)
def call(x86, arm, *arguments):
    number = arm if platform.machine() == "aarch64" else x86
    done = libc.syscall(ctypes.c_long(number), *[ctypes.c_long(a) if isinstance(a, int) else a for a in arguments])
    print("refused" if done == -1 else "DONE", errno.errorcode.get(ctypes.get_errno()))
"""

WORKER = """\
import os, sys
frame = sys._getframe()
while "replies" not in frame.f_locals:
    frame = frame.f_back
pipe, name = frame.f_locals["replies"], frame.f_locals["request"]["id"]
"""
"""Finds the pipe of the replies and the name of the running call, as only code in the same process can."""

BOMB = """\
import struct, zlib
def chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
head = chunk(b"IHDR", struct.pack(">IIBBBBB", 60000, 60000, 8, 2, 0, 0, 0))
png = b"\\x89PNG\\r\\n\\x1a\\n" + head + chunk(b"IDAT", zlib.compress(bytes(10**7))) + chunk(b"IEND", b"")
"""
"""A PNG of a few kilobytes that says it is 3.6 thousand million pixels."""

NETWORK = [
    Hostile("connect_loopback", "import socket\nsocket.create_connection(('127.0.0.1', PORT), 1)", "error"),
    Hostile("connect_outside", "import socket\nsocket.create_connection(('192.0.2.1', 80), 1)", "error"),
    Hostile("dns", "import socket\nsocket.getaddrinfo('example.org', 80)", "error"),
    Hostile("http", "import urllib.request\nurllib.request.urlopen('http://127.0.0.1:PORT/', timeout=1)", "error"),
    Hostile("udp", "import socket\nsocket.socket(socket.AF_INET, socket.SOCK_DGRAM)", "error", "PermissionError"),
    Hostile(
        "raw_packets", "import socket\nsocket.socket(socket.AF_PACKET, socket.SOCK_RAW)", "error", "PermissionError"
    ),
    Hostile(
        "netlink", "import socket\nsocket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)", "error", "PermissionError"
    ),
    Hostile("vsock", "import socket\nsocket.socket(40, socket.SOCK_STREAM)", "error", "PermissionError"),
    Hostile(
        "unix_socket", "import socket\nsocket.socket(socket.AF_UNIX).connect('SOCKET')", "error", "FileNotFoundError"
    ),
    Hostile("abstract_socket", "import socket\nsocket.socket(socket.AF_UNIX).connect('\\0beholder-PORT')", "error"),
]

FILES = [
    Hostile("etc_shadow", "open('/etc/shadow').read()", "error", "FileNotFoundError"),
    Hostile("etc_passwd", "open('/etc/passwd').read()", "error", "FileNotFoundError"),
    Hostile("users_home", "import os\n[os.listdir(p) for p in ('/root', '/home')]", "error", "FileNotFoundError"),
    Hostile("a_file_of_this_machine", "print(open('SECRET').read())", "error", "FileNotFoundError"),
    Hostile("overwrite_by_name", "open('CANARY', 'w').write('gone')", "error"),
    Hostile("environment", "import os\nprint(sorted(os.environ.items()))", "executed", "HOME"),
    Hostile("proc_of_others", "open('/proc/1/environ', 'rb').read()", "error", "FileNotFoundError"),
    Hostile("write_library", "import numpy\nopen(numpy.__file__, 'a').write('1/0')", "error", "Errno"),
    Hostile("write_root", "open('/new', 'w')", "error", "Errno"),
    Hostile("write_python", "import os\nos.remove(os.__file__)", "error", "Errno"),
    Hostile(
        "symbolic_link_out",
        "import os\nos.symlink('CANARY', 'link')\nopen('link', 'w').write('gone')",
        "error",
        "FileNotFoundError",
    ),
    Hostile("picture_that_is_a_link", "import os\nos.symlink('SECRET', 'picture.png')\nprint(1)", "executed", "1"),
    Hostile("hard_link_out", "import os\nos.link('CANARY', 'link')", "error", "FileNotFoundError"),
    Hostile("hard_link_of_library", "import os\nos.link(os.__file__, '/tmp/os.py')", "error", "Errno"),
    Hostile("climb_out", "import os\nos.chdir('/tmp/../../../../..')\nprint(os.listdir('.'))", "executed", "'tmp'"),
    Hostile("chroot", "import os\nos.mkdir('a')\nos.chroot('a')", "error", "PermissionError"),
    Hostile("block_device", "open('/dev/vda', 'rb').read(16)", "error", "FileNotFoundError"),
    Hostile("dev_mem", "open('/dev/mem', 'rb').read(16)", "error", "FileNotFoundError"),
    Hostile("make_device", "import os\nos.mknod('disk', 0o60666, os.makedev(254, 0))", "error", "PermissionError"),
    Hostile("set_uid_bit", "import os\nopen('a', 'w')\nos.chmod('a', 0o4777)\nos.chown('a', 0, 0)", "error", "Errno"),
    Hostile("beholders_own_solvers", "import beholder.synth.solvers", "error", "ModuleNotFoundError"),
    Hostile("packages_beside", "import pytest", "error", "ModuleNotFoundError"),
    Hostile("fill_tmp", "f = open('/tmp/a', 'wb')\nwhile True: f.write(bytes(1 << 20))", "error stopped"),
    Hostile(
        "fill_tmp_by_many", "for i in range(10**6): open(f'/tmp/{i}', 'wb').write(bytes(1 << 20))", "error stopped"
    ),
    Hostile("fill_shared_memory", "f = open('/dev/shm/a', 'wb')\nwhile True: f.write(bytes(1 << 20))", "error stopped"),
    Hostile(
        "other_program", "import subprocess\nsubprocess.run(['/bin/sh', '-c', 'id'])", "error", "FileNotFoundError"
    ),
    Hostile("shell", "import os\nprint(os.system('id; cat /etc/shadow'))", "executed error"),
    Hostile(
        "a_program_of_its_own",
        "import sys, subprocess\nprint(subprocess.run([sys.executable, '-I', '-c', 'import os; print(os.getuid())'],"
        " capture_output=True, text=True).stdout, open('/etc/passwd'))",
        "error",
        "FileNotFoundError",
    ),
]

RESOURCES = [
    Hostile("endless_loop", "print('begun')\nwhile True: pass", "stopped", "begun"),
    Hostile("sleep_for_ever", "import time\ntime.sleep(10**6)", "stopped", "seconds"),
    Hostile("slow_regex", "import re\nre.match(r'(a+)+b', 'a' * 60)", "stopped", "seconds"),
    Hostile("large_power", "x = 9 ** 9 ** 9", "stopped error"),
    Hostile("fork_bomb", "import os\nwhile True: os.fork()", "stopped error"),
    Hostile(
        "fork_bomb_that_goes_on",
        "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass",
        "stopped error",
    ),
    Hostile(
        "thread_bomb",
        "import threading, time\nwhile True: threading.Thread(target=time.sleep, args=(99,), daemon=True).start()",
        "stopped",
        "threads",
    ),
    Hostile("memory_python", "x = []\nwhile True: x.append(bytearray(1 << 24))", "stopped", "memory"),
    Hostile("memory_numpy", "import numpy\nx = [numpy.ones(1 << 22) for _ in range(10**5)]", "stopped", "memory"),
    Hostile("memory_mmap", "import mmap\nx = mmap.mmap(-1, 1 << 31)\nx.write(bytes(1 << 31))", "error stopped"),
    Hostile(
        "memory_of_children",
        "import os, time\nfor _ in range(20):\n    if os.fork() == 0:\n        x = bytearray(b'1' * (60 << 20))\n"
        "        time.sleep(9)\ntime.sleep(9)",
        "stopped error",
    ),
    Hostile("output_print", "while True: print('x' * 100_000)", "stopped", "printed more"),
    Hostile("output_raw", "import os\nwhile True: os.write(1, b'x' * 100_000)", "stopped", "printed more"),
    Hostile("output_error", "import os\nwhile True: os.write(2, b'x' * 100_000)", "stopped", "printed more"),
    Hostile("output_short_of_stopping", "print('x' * 1_000_000)", "executed", "left out"),
    Hostile("large_value", "'y' * 5_000_000", "executed", "left out"),
    Hostile("long_traceback", "raise ValueError('z' * 10_000_000)", "error", "ValueError"),
    Hostile("deep_recursion", "def f(): return f()\nf()", "error", "RecursionError"),
    Hostile(
        "deep_recursion_unbounded", "import sys\nsys.setrecursionlimit(10**9)\nf = lambda: f()\nf()", "error stopped"
    ),
    Hostile("raise_limits", "import resource as r\nr.setrlimit(r.RLIMIT_NPROC, (9**5, 9**5))", "error", "ValueError"),
    Hostile("many_files", "x = [open('/dev/null') for _ in range(10**5)]", "error", "Errno 24"),
    Hostile(
        "watches_and_timers",
        SYSCALL + "for _ in range(10**5):\n    if libc.inotify_init() < 0: break\n"
        "while libc.timer_create(0, None, ctypes.byref(ctypes.c_void_p())) == 0: pass\nprint('bounded')",
        "executed error",
    ),
]

PROCESS = [
    Hostile("exit", "import sys\nsys.exit(3)", "error", "SystemExit"),
    Hostile("exit_at_once", "import os\nos._exit(3)", "error", "variables of earlier calls are lost"),
    Hostile("abort", "import os\nos.abort()", "error"),
    Hostile("segmentation_fault", "import ctypes\nctypes.string_at(0)", "error", "SIGSEGV"),
    Hostile("kill_first", "import os\nos.kill(1, 9)", "executed error"),
    Hostile("kill_itself", "import os\nos.kill(os.getpid(), 9)", "error", "SIGKILL"),
    Hostile("kill_parent", "import os\nos.kill(os.getppid(), 9)", "executed error"),
    Hostile("kill_everything", "import os\nos.kill(-1, 9)", "error", "ProcessLookupError"),
    Hostile("kill_host", "import os\nfor pid in range(3, 5000):\n    os.kill(pid, 9)", "error", "ProcessLookupError"),
    Hostile("stop_itself", "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)", "stopped"),
    Hostile(
        "ignore_signals",
        "import signal\nfor s in range(1, 65):\n    try: signal.signal(s, signal.SIG_IGN)\n"
        "    except (OSError, ValueError): pass\nwhile True: pass",
        "stopped",
        "seconds",
    ),
    Hostile("keyboard_interrupt", "raise KeyboardInterrupt", "error", "KeyboardInterrupt"),
    Hostile(
        "catch_everything", "while True:\n    try:\n        while True: pass\n    except BaseException: pass", "stopped"
    ),
    Hostile("close_input", "import os\nos.close(0)", "executed"),
    Hostile("close_output", "import os, sys\nsys.stdout.close()\nos.close(1)\nos.close(2)", "executed error"),
    Hostile("close_everything", "import os\nos.closerange(0, 1024)", "error", "lost"),
    Hostile("close_replies", WORKER + "os.close(pipe)", "error", "lost"),
    Hostile("finalizer", "class A:\n    def __del__(self):\n        while True: pass\na = A()\ndel a", "stopped"),
    Hostile("at_exit", "import atexit\natexit.register(lambda: 1/0)\nprint('set')", "executed", "set"),
    Hostile(
        "thread_goes_on",
        "import threading\ndef spin():\n    while True: open('/tmp/late', 'a').write('x')\n"
        "threading.Thread(target=spin, daemon=True).start()",
        "executed error stopped",
    ),
    Hostile("child_goes_on", "import os, time\nif os.fork() == 0:\n    time.sleep(999)", "executed error stopped"),
    Hostile(
        "child_in_new_session",
        "import os, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        time.sleep(999)",
        "executed error stopped",
    ),
    Hostile("replaced_print", "import builtins\nbuiltins.print = None\nbuiltins.len = None", "executed error"),
    Hostile(
        "replaced_json", "import json\njson.dumps = json.loads = lambda *a, **k: '['\nprint(1)", "error executed", ""
    ),
    Hostile("replaced_pil", "import PIL.Image\nPIL.Image.Image = None\nPIL.Image.open = None", "executed error"),
    Hostile("replaced_os", "import os\nos.write = os.read = os.getpid = lambda *a: 0", "error stopped executed"),
    Hostile("exception_that_bites", "class E(Exception):\n    def __str__(self): raise self\nraise E", "error", "E"),
    Hostile("repr_that_bites", "class R:\n    def __repr__(self): raise SystemExit\nR()", "error", "SystemExit"),
    Hostile("surrogates", "print('\\ud800', chr(0), '\\x1b[31m')", "executed", "\\ud800"),
    Hostile("source_with_nul", "x = 'a\0b'", "error executed"),
    Hostile("no_python", "select * from users;", "error", "SyntaxError"),
    Hostile("deep_source", "(" * 5000 + ")" * 5000, "error"),
]

KERNEL = [
    Hostile("unshare", SYSCALL + "call(272, 97, 0x10000000)", "executed", "refused EPERM"),
    Hostile("unshare_mounts", SYSCALL + "call(272, 97, 0x00020000)", "executed", "refused EPERM"),
    Hostile("clone_namespace", SYSCALL + "call(56, 220, 0x10000000 | 17, 0, 0, 0, 0)", "executed", "refused EPERM"),
    Hostile("clone3", SYSCALL + "call(435, 435, 0, 0)", "executed", "refused ENOSYS"),
    Hostile("setns", SYSCALL + "call(308, 268, 0, 0)", "executed", "refused EPERM"),
    Hostile("mount", SYSCALL + "call(165, 40, b'none', b'/tmp', b'tmpfs', 0, 0)", "executed", "refused EPERM"),
    Hostile(
        "new_mount_calls", SYSCALL + "call(428, 428, -100, b'/', 1)\ncall(430, 430, b'tmpfs', 0)", "executed", "EPERM"
    ),
    Hostile("ptrace", SYSCALL + "call(101, 117, 16, 1, 0, 0)", "executed", "refused EPERM"),
    Hostile("read_other_memory", SYSCALL + "call(310, 270, 1, 0, 0, 0, 0, 0)", "executed", "refused EPERM"),
    Hostile("bpf", SYSCALL + "call(321, 280, 0, 0, 0)", "executed", "refused EPERM"),
    Hostile("perf", SYSCALL + "call(298, 241, 0, 0, -1, -1, 0)", "executed", "refused EPERM"),
    Hostile("userfaultfd", SYSCALL + "call(323, 282, 1)", "executed", "refused EPERM"),
    Hostile("io_uring", SYSCALL + "call(425, 425, 8, 0)", "executed", "refused EPERM"),
    Hostile("keyctl", SYSCALL + "call(250, 219, 0, -3, 0)", "executed", "refused EPERM"),
    Hostile("kexec", SYSCALL + "call(246, 104, 0, 0, 0, 0)", "executed", "refused EPERM"),
    Hostile("load_module", SYSCALL + "call(175, 105, 0, 0, 0)", "executed", "refused EPERM"),
    Hostile("reboot", SYSCALL + "call(169, 142, 0xFEE1DEAD, 672274793, 0x01234567, 0)", "executed", "refused EPERM"),
    Hostile("swap", SYSCALL + "call(167, 224, b'/tmp/a', 0)", "executed", "refused EPERM"),
    Hostile("open_by_handle", SYSCALL + "call(304, 265, -100, 0, 0)", "executed", "refused EPERM"),
    Hostile("set_clock", SYSCALL + "call(227, 112, 0, 0)", "executed", "refused EPERM"),
    Hostile("set_hostname", "import socket\nsocket.sethostname('mine')", "error", "Errno 1"),
    Hostile("unknown_call", SYSCALL + "call(5000, 5000)", "executed", "refused ENOSYS"),
    Hostile(
        "a_timer_that_wakes",
        SYSCALL + "event = ctypes.create_string_buffer(64)\nevent[8] = 18\n"
        "call(222, 107, 1, event, ctypes.create_string_buffer(8))",
        "executed",
        "refused EPERM",
    ),
    Hostile("a_child_whose_end_wakes", SYSCALL + "call(56, 220, 18, 0, 0, 0, 0)", "executed", "refused EPERM"),
    Hostile("choose_a_signal", "import fcntl\nfcntl.fcntl(open('a', 'w'), 10, 18)", "error", "Errno 1]"),
    Hostile("watch_folders", SYSCALL + "call(294, 26, 0)", "executed", "refused EPERM"),
    Hostile(
        "watch_folders_the_old_way",
        "import fcntl, os\nfcntl.fcntl(os.open('/packages', 0), fcntl.F_NOTIFY, fcntl.DN_ACCESS)",
        "error",
        "Errno 1]",
    ),
    Hostile(
        "lease",
        "import fcntl, numpy\nfcntl.fcntl(open(numpy.__file__), fcntl.F_SETLEASE, fcntl.F_RDLCK)",
        "error",
        "Errno 1]",
    ),
    Hostile("large_pipes", "import fcntl, os\nfcntl.fcntl(os.pipe()[0], 1031, 1 << 20)", "error", "Errno 1]"),
    Hostile(
        "lock_what_others_read",
        "import fcntl, numpy\nfcntl.flock(open(numpy.__file__), fcntl.LOCK_EX)",
        "error",
        "Errno 1]",
    ),
    Hostile("write_back_all_files", SYSCALL + "call(306, 267, 1)", "executed", "refused EPERM"),
    Hostile("pair_of_other_sockets", "import socket\nsocket.socketpair(30)", "error", "PermissionError"),
    Hostile("set_uid_0", "import os\nos.setuid(0)", "error", "Errno"),
    Hostile("set_other_uid", "import os\nos.setresuid(12345, 12345, 12345)", "error", "Errno"),
    Hostile("set_groups", "import os\nos.setgroups([0])", "error", "Errno"),
    Hostile("real_time", "import os\nos.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(99))", "error", "Errno 1"),
    Hostile("raise_priority", "import os\nos.setpriority(os.PRIO_PROCESS, 0, -20)", "error", "PermissionError"),
    Hostile("lock_memory", SYSCALL + "call(151, 230, 3)", "executed", "refused"),
]

_ID = '{"id":"%s","outcome":"ok","pictures":%s}\\n'

_WITH_PNG = """\
os.write(pipe, ('{"id":"%s","outcome":"ok","pictures":[%d]}\\n' % (name, len(png))).encode() + png)
"""

REPLIES = [
    Hostile("reply_of_its_own", WORKER + f"os.write(pipe, ('{_ID}' % (name, '[]')).encode())", "executed error"),
    Hostile("two_replies", WORKER + f"os.write(pipe, ('{_ID}' % (name, '[]')).encode() * 2)", "error", "usable"),
    Hostile(
        "reply_to_another_call",
        WORKER + f"os.write(pipe, ('{_ID}' % ('0' * 32, '[]')).encode())",
        "error",
        "another call",
    ),
    Hostile("half_a_reply", WORKER + "os.write(pipe, b'{\"id\":')\nos._exit(0)", "error", "lost"),
    Hostile("half_a_reply_and_wait", WORKER + "os.write(pipe, b'{\"id\":')\nwhile True: pass", "stopped", "seconds"),
    Hostile("no_json", WORKER + "os.write(pipe, b'\\x80\\x04pickle\\n')", "error", "no reply"),
    Hostile("deep_json", WORKER + "os.write(pipe, b'[' * 4000 + b'\\n')", "error", "no reply"),
    Hostile("endless_line", WORKER + "while True: os.write(pipe, b'x' * 4096)", "error", "bytes"),
    Hostile(
        "huge_length", WORKER + f"os.write(pipe, ('{_ID}' % (name, '[999999999999]')).encode())", "error", "bytes long"
    ),
    Hostile("negative_length", WORKER + f"os.write(pipe, ('{_ID}' % (name, '[-1]')).encode())", "error", "bytes long"),
    Hostile("many_lengths", WORKER + f"os.write(pipe, ('{_ID}' % (name, [1] * 99)).encode())", "error", "at most"),
    Hostile(
        "picture_that_never_comes",
        WORKER + f"os.write(pipe, ('{_ID}' % (name, '[5000]')).encode())\nwhile True: pass",
        "stopped",
        "seconds",
    ),
    Hostile(
        "picture_that_is_none",
        WORKER + f"os.write(pipe, ('{_ID}' % (name, '[9]')).encode() + b'not a PNG')\nwhile True: pass",
        "error",
        "not a PNG",
    ),
    Hostile("bomb_as_picture", WORKER + BOMB + _WITH_PNG + "while True: pass", "error", "pixels"),
    Hostile(
        "reply_to_the_next_call",
        "import threading, time\n" + WORKER + f"line = ('{_ID}' % (name, '[]')).encode()\n"
        "def later():\n    time.sleep(0.02)\n    os.write(pipe, line)\n"
        "threading.Thread(target=later, daemon=True).start()",
        "executed error",
    ),
    Hostile("replaced_reply", WORKER + "frame.f_globals['_write'] = lambda *a: None", "stopped", "seconds"),
    Hostile("read_the_requests", WORKER + "frame.f_locals['requests'].read()", "stopped error", ""),
]

PICTURES = [
    Hostile(
        "thousands_of_figures",
        "from PIL import Image\nfor i in range(5000): Image.new('RGB', (9, 9), (i % 256, i // 256, 0)).show()",
        "executed",
        "4992 more",
    ),
    Hostile("huge_picture", "from PIL import Image\nImage.new('RGB', (9000, 5000)).show()", "executed stopped", ""),
    Hostile(
        "noise_picture",
        "import os\nfrom PIL import Image\nImage.frombytes('RGB', (2500, 2000), os.urandom(15_000_000)).show()",
        "executed stopped",
        "",
    ),
    Hostile("bomb_as_file", BOMB + "open('a.png', 'wb').write(png)", "executed stopped error"),
    Hostile(
        "picture_file_of_text", "open('a.png', 'w').write('no picture')", "executed", "no pictures that can be read"
    ),
    Hostile("pipe_as_picture", "import os\nos.mkfifo('a.png')", "error", "PermissionError"),
    Hostile(
        "many_files_in_many_folders",
        "import os\nfor i in range(3000): os.makedirs(f'{i % 50}/{i}')\nprint('made')",
        "executed",
        "made",
    ),
]

SCRIPTS = [*NETWORK, *FILES, *RESOURCES, *PROCESS, *KERNEL, *REPLIES, *PICTURES]

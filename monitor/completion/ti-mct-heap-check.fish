# SPDX-License-Identifier: Apache-2.0
# Completion of ti-mct-heap-check's command line for fish.
complete -c ti-mct-heap-check -f
complete -c ti-mct-heap-check -s c -l collect -d 'first free what dead processes have left behind'
complete -c ti-mct-heap-check -l json -d 'for programs'
complete -c ti-mct-heap-check -l segment -x -d 'the name under which processes meet'
complete -c ti-mct-heap-check -l totals -d 'each process\'s total after the heaps'
complete -c ti-mct-heap-check -s h -d 'TI\'s help text, then the heaps'
complete -c ti-mct-heap-check -l version -d 'print the version'
complete -c ti-mct-heap-check -l help -d 'print how to use it'

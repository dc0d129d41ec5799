# SPDX-License-Identifier: Apache-2.0
# Completion of ti-mctd's command line for fish.
complete -c ti-mctd -f
complete -c ti-mctd -l config -r -F -d 'configuration file'
complete -c ti-mctd -l segment -x -d 'the name under which processes meet'
complete -c ti-mctd -l foreground -d 'stay in the foreground and write to standard error'
complete -c ti-mctd -l version -d 'print the version'
complete -c ti-mctd -s h -l help -d 'print how to use it'

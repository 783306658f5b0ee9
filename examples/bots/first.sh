#!/bin/sh
# Plays the first legal move, in a plain shell: sobremesa seat URL -- sh examples/bots/first.sh
while read -r line; do
  case $line in *'"type": "decide"'*)
    moves=${line##*'"legal": ["'}
    echo "{\"move\": \"${moves%%\"*}\"}" ;;
  esac
done

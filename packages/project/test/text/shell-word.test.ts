// What a message tells to type reaches the command as it is.
import { shellWord } from '../../src/text/command-line.ts'
import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'

it.each(['shop.example/cal?d=*', "shop.example/it's/**", "''", '$x`y`"\\!'])('%s is one word of a shell', (text) => {
  expect(execFileSync('/bin/sh', ['-c', `printf %s ${shellWord(text)}`], { encoding: 'utf8' })).toBe(text)
})

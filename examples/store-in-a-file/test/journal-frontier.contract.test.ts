// The store of this example holds the contract of stores. A crash leaves what is in the file at that moment.
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { frontierContract } from '@avocet/testkit/contracts'
import { journalFrontier } from '../journal-frontier.ts'

frontierContract(
  'a journal',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'avocet-journal-'))
    let life = 0
    const path = (): string => join(folder, `${String(life)}.jsonl`)
    return {
      frontier: () => journalFrontier(path()),
      async crash() {
        const before = path()
        life++
        copyFileSync(before, path())
      },
      dispose: async () => rmSync(folder, { recursive: true }),
    }
  },
  { shared: false },
)

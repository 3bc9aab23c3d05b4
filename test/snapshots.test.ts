// What others build on, as texts: the types at the doors of each package, the help of each command, and the shapes of --json. `vitest run test/snapshots.test.ts
// -u` writes today's, so that a change of them is seen in the commit that makes it.
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { commandHelp, helpOfAll } from '../packages/cli/src/command-line/command-help.ts'
import { COMMANDS } from '../packages/cli/src/command-line/commands.ts'
import { declaredTypes } from './snapshots/declared-types.ts'
import { jsonShapes } from './snapshots/json-shapes.ts'

const ROOT = join(import.meta.dirname, '..')
const COLUMNS = 80

describe('what others build on is as before:', () => {
  const packages = globSync('packages/*/package.json', { cwd: ROOT }).map((path) => path.split(/[\\/]/)[1] ?? '')

  it.each(packages.sort())('the types of %s', async (name) => {
    await expect(declaredTypes(join(ROOT, 'packages', name))).toMatchFileSnapshot(`snapshots/types/${name}.txt`)
  })

  it('the help of each command', async () => {
    const texts = COMMANDS.map((command) => [`# ${command.name}`, ...commandHelp(command, COLUMNS)].join('\n'))

    await expect(`${[helpOfAll(COLUMNS).join('\n'), ...texts].join('\n\n')}\n`).toMatchFileSnapshot('snapshots/help.txt')
  })

  it('the shapes of what --json prints', { timeout: 300_000 }, async () => {
    await expect(await jsonShapes()).toMatchFileSnapshot('snapshots/json.txt')
  })
})

// Runs every example against a rough web through the built command, compares its items with what stands there, and prints a line each.
import * as ownPlugin from '../own-plugin/test/world.ts'
import * as priceWatch from '../price-watch/test/world.ts'
import * as quotes from '../quotes/test/world.ts'
import { byCommand, type Example } from './by-command.ts'

const EXAMPLES: Readonly<Record<string, Example>> = { quotes, 'price-watch': priceWatch, 'own-plugin': ownPlugin }

for (const [name, example] of Object.entries(EXAMPLES)) {
  const startedAt = performance.now()
  const { exitCode, found, differences } = await byCommand(example, { built: true })
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1)
  const same = exitCode === 0 && found > 0 && differences.length === 0
  console.log(
    same
      ? `${name}: ${String(found)} items, all that stand there and no other (${seconds} s)`
      : [`${name}: DIFFERS (exit ${String(exitCode)}, ${String(found)} items)`, ...differences].join('\n  '),
  )
  if (!same) process.exitCode = 1
}

// The table of metrics in the documentation is that of the code: names, types, labels and sentences.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { CATALOGUE } from '../src/laws/catalogue.ts'
import { wholeFamilies } from './whole-families.ts'

it('has each metric in the documentation, in the order in which they are served', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/reference/metrics.md'), 'utf8')
  const rows = [...page.matchAll(/^\| `(\w+)` \| (\w+) \| ([^|]*) \| ([^|]*) \|$/gm)].map(([, name, type, labels, help]) => [
    name,
    type,
    labels?.trim(),
    help,
  ])

  const served = wholeFamilies().map((family) => {
    const labels = family.type === 'histogram' ? [] : Object.keys(family.samples[0]?.labels ?? {})
    return [family.name, family.type, labels.join(', '), family.help]
  })
  expect(rows).toEqual(served)
  expect(served.map(([name]) => name)).toEqual(Object.keys(CATALOGUE))
})

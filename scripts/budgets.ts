// Prints what this repository weighs beside what it may weigh: `npm run budgets`. With `--write`, ceilings come down to today's figures; they never rise.
// With `--lonely`, lists the names of core that one package alone takes, or nothing.
//
// `test/budgets.json` holds a ceiling for each figure, and a goal for some; `test/budgets.test.ts` fails above a ceiling. Who needs a higher one writes it there
// by hand, and the reason into the commit. A ceiling of what is no longer there goes with `--write`, and what is new gets one.
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { modulesOf } from '../test/loaded-modules.ts'
import { withOnePage } from '../test/one-page.ts'
import { publishedTree } from './published.ts'
import { lonelyNames, namesOfDoors } from './public-names.ts'

const ROOT = join(import.meta.dirname, '..')
const BUDGETS = join(ROOT, 'test/budgets.json')

export interface Budget {
  readonly ceiling: number
  readonly goal?: number
}

export type Budgets = Readonly<Record<string, Budget>>

/** The ceilings of today, by what they are of. */
export function readBudgets(): Budgets {
  return JSON.parse(readFileSync(BUDGETS, 'utf8')) as Budgets
}

/** Today's figures, by what they are of. */
export async function measure(): Promise<Readonly<Record<string, number>>> {
  return { ...sizes(), ...names(), ...words(), ...(await modules()) }
}

/** What is wrong with these figures, in sentences; none where each is within its budget. */
export function excesses(figures: Readonly<Record<string, number>>, budgets: Budgets): readonly string[] {
  return Object.entries(figures).flatMap(([what, figure]) => {
    const ceiling = budgets[what]?.ceiling
    if (ceiling === undefined) return [`${what}: ${figure}, and no ceiling in test/budgets.json: npm run budgets -- --write`]
    return figure > ceiling
      ? [`${what}: expected at most ${ceiling}, got ${figure}; make it smaller, or raise the ceiling and say why in the commit`]
      : []
  })
}

function sizes(): Record<string, number> {
  const [lines, files] = [new Map<string, number>(), new Map<string, number>()]
  for (const path of globSync('packages/*/src/**/*.{ts,tsx}', { cwd: ROOT }).sort()) {
    const count = codeLines(readFileSync(join(ROOT, path), 'utf8'))
    for (const home of ['all packages', path.split(/[\\/]/)[1] ?? '']) {
      lines.set(home, (lines.get(home) ?? 0) + count)
      files.set(home, (files.get(home) ?? 0) + 1)
    }
  }
  const figures = [...lines].map(([home, count]) => [`code lines, ${home}`, count] as const)
  return Object.fromEntries([...figures, ...[...files].map(([home, count]) => [`files, ${home}`, count] as const)])
}

/** Lines that are neither blank nor only a comment. */
export function codeLines(text: string): number {
  let inComment = false
  const isCode = (line: string): boolean => {
    if (inComment) {
      inComment = !line.includes('*/')
      return false
    }
    if (line === '' || line.startsWith('//')) return false
    if (!line.startsWith('/*')) return true
    inComment = !line.includes('*/')
    return !inComment && !line.endsWith('*/')
  }
  return text.split('\n').filter((line) => isCode(line.trim())).length
}

function names(): Record<string, number> {
  const lonely = lonelyNames()
  const doors = Object.entries(namesOfDoors()).map(([door, { length }]) => [`names, ${door}`, length] as const)
  return {
    'names, all doors of core': doors.reduce((sum, [, count]) => sum + count, 0),
    ...Object.fromEntries(doors),
    'names of core that one package alone takes': lonely.ofOne.length,
    'names of core that nothing here takes': lonely.ofNobody.length,
  }
}

function words(): Record<string, number> {
  const wordsOf = (path: string): number => readFileSync(join(ROOT, path), 'utf8').trim().split(/\s+/).length
  const docs = globSync('docs/**/*.md', { cwd: ROOT }).reduce((sum, path) => sum + wordsOf(path), 0)
  const single = ['README.md', 'ARCHITECTURE.md'].map((path) => [`words, ${path}`, wordsOf(path)] as const)
  return { ...Object.fromEntries(single), 'words, docs': docs }
}

/** As users load it: of the last build, as it is published. */
async function modules(): Promise<Record<string, number>> {
  const tree = await publishedTree('avocet-budgets')
  const loadedBy = async (...words: string[]): Promise<number> => (await modulesOf(words, tree)).loaded.length
  return {
    'modules loaded by avocet crawl of one page': await withOnePage((url) => loadedBy('crawl', url)),
    'modules loaded by avocet --help': await loadedBy('--help'),
  }
}

/** `budgets` with no ceiling above its figure, none of what is gone, and one for each figure. What bench:floor measures stays. */
export function lowered(figures: Readonly<Record<string, number>>, budgets: Budgets): Budgets {
  const measured = Object.entries(figures).map(([what, figure]) => {
    const budget = budgets[what]
    return [what, { ...budget, ceiling: Math.min(figure, budget?.ceiling ?? figure) }] as const
  })
  return Object.fromEntries([...measured, ...Object.entries(budgets).filter(([what]) => what.startsWith('CPU'))])
}

if (import.meta.main) {
  const figures = await measure()
  const budgets = process.argv.includes('--write') ? lowered(figures, readBudgets()) : readBudgets()
  const lines = Object.entries(budgets).map(
    ([what, budget]) => `  ${JSON.stringify(what)}: ${JSON.stringify(budget, null, 1).replaceAll(/\n */g, ' ')}`,
  )
  if (process.argv.includes('--write')) writeFileSync(BUDGETS, `{\n${lines.join(',\n')}\n}\n`)
  console.table(Object.fromEntries(Object.entries(figures).map(([what, figure]) => [what, { figure, ...budgets[what] }])))
  if (process.argv.includes('--lonely')) console.log(Object.values(lonelyNames()).flat().join('\n'))
  for (const excess of excesses(figures, budgets)) console.error(excess)
}

// What the demo says at its end: where its report is, how to see it again, and what to try next. A test runs each of these commands as it is printed.
import { pathToFileURL } from 'node:url'

/** Files of the demo. */
interface DemoFiles {
  /** From the root of the clone. */
  readonly store: string
  readonly report: string
}

/** A command, and what it shows. */
type Hint = readonly [command: string, shows: string]

/** The lines. `path`: of the report, absolute; `port`: what the demo was told of it. */
export function closingLines(files: DemoFiles, path: string, port: readonly string[]): readonly string[] {
  const again = ['npm run demo', ...(port.length > 0 ? ['--', ...port] : [])].join(' ')
  const hints: readonly Hint[] = [
    [`npx avocet report ${files.store} --html ${files.report}`, 'writes the report again'],
    [`npx avocet report ${files.store}`, 'the same in this terminal: how each host was treated'],
    [`npx avocet hosts ${files.store}`, 'how far the crawl is at each'],
    [`npx avocet failed list ${files.store}`, 'what was given up, and why'],
    [again, 'resumes it, with its servers'],
    [freshCommand(port), 'shows it again from the start, also in a browser'],
    ['npx avocet crawl https://your.example/ -O pages.jsonl', 'a site of yours'],
  ]
  return [
    'The report of this crawl, with charts; open it in a browser:',
    `  ${pathToFileURL(path).href}`,
    `  ${path}`,
    '',
    ...inColumns('What to try next, in the clone. The servers of the demo have ended; its store is still there:', hints),
    'README.md has a tour of five minutes, examples/quotes/spider.ts is the smallest spider.',
  ]
}

/** What is said where a page was asked for, and all that it could show has been crawled. `port`: what the demo was told of it. */
export function nothingToWatch(store: string, port: readonly string[]): readonly string[] {
  return inColumns(`The store ${store} has every page that the demo can get, so there is no crawl to watch. To look at it:`, [
    [`npx avocet ui ${store}`, 'shows what the last crawl left'],
    [freshCommand(port), 'crawls it again from the start, with its page'],
  ])
}

function freshCommand(port: readonly string[]): string {
  return ['npm run demo --', ...port, '--fresh --ui'].join(' ')
}

function inColumns(title: string, hints: readonly Hint[]): readonly string[] {
  const width = Math.max(...hints.map(([command]) => command.length)) + 2
  return [title, ...hints.map(([command, shows]) => `  ${command.padEnd(width)}${shows}`)]
}

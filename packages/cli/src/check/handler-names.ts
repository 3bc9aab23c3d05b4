// Whether the handlers that links name are there, from the text of the spider's files.
//
// A handler runs only on a page, so nothing less than a crawl knows all the names that it yields. What stands there as a text, `handler: 'offer'`,
// is seen, in the spider's file and in those that it imports by a relative path; what is put together at run time is not, and the line says so.
import { didYouMean } from '@avocet/core'
import { readFile } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'
import type { Seed, Spider } from '@avocet/core'
import { formatCountOf } from '../text/quantity.ts'
import { lineEach, type Finding } from './finding.ts'

/** A text and nothing else: `handler: 'of' + 'fer'` names neither. */
const NAMED = /\bhandler\s*:\s*(['"`])([\w.-]+)\1(?=\s*(?:[,;)}\]]|$))/gm
const IMPORTED = /(?:\bfrom|\bimport)\s*\(?\s*['"](\.{1,2}\/[^'"]+)['"]/g
/** Both kinds of comment, but not the slashes of `https://`. */
const COMMENT = /\/\*[\s\S]*?\*\/|(?<![:'"`\\])\/\/.*$/gm
const MAX_FILES = 100

/** A name and the places where it stands. */
interface NamedAt {
  readonly name: string
  readonly place: string
}

/** Looks at the files that begin at `path`, and at `seeds`. */
export async function handlerFindings(spider: Spider, path: string, seeds: readonly Seed[]): Promise<readonly Finding[]> {
  const handlers = Object.keys(spider.handlers)
  const inText = await namesFrom(path)
  const inSeeds = seeds.flatMap(({ handler }): NamedAt[] => (handler === undefined ? [] : [{ name: handler, place: 'a seed' }]))
  const named = [...new Map([...inSeeds, ...inText].map((one) => [one.name, one])).values()]
  const missing = named.filter(({ name }) => !handlers.includes(name))
  const idle = handlers.filter((name) => name !== 'start' && !named.some((one) => one.name === name))
  if (missing.length + idle.length === 0) {
    const said = `${formatCountOf(handlers.length, 'handler')}, each named; names that are put together at run time are not seen`
    return [{ subject: 'handlers', state: 'ok', said }]
  }
  return [
    ...lineEach(
      missing.map(
        ({ name, place }) => `${place} names the handler '${name}', which the spider does not have${didYouMean(name, handlers)}`,
      ),
      { subject: 'handlers', state: 'fail' },
    ),
    ...lineEach(
      idle.map((name) => `no link names the handler '${name}', as far as the text shows; name it in one, or take it out`),
      { subject: 'handlers', state: 'warn' },
    ),
  ]
}

/** From `path` and what it imports, breadth first. */
async function namesFrom(path: string): Promise<readonly NamedAt[]> {
  const files = [path]
  const named: NamedAt[] = []
  // Grows while it is walked.
  for (const file of files) {
    const text = await readFile(file, 'utf8').catch(() => '')
    // A comment keeps its lines, so that the ones after it keep their numbers.
    const code = text.replace(COMMENT, (comment) => comment.replace(/[^\n]/g, ' '))
    for (const match of code.matchAll(NAMED)) {
      const line = code.slice(0, match.index).split('\n').length
      named.push({ name: match[2] ?? '', place: `${basename(file)}:${line}` })
    }
    const imported = [...code.matchAll(IMPORTED)].map(([, from = '']) => resolve(dirname(file), from))
    files.push(...imported.filter((one) => !files.includes(one)).slice(0, MAX_FILES - files.length))
  }
  return named
}

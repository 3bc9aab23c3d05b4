// Finds the code that documents show: fenced blocks of Markdown files, and the examples of doc comments.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A block of code in a document. */
export interface CodeBlock {
  /** Path from the root of the repository. */
  readonly path: string
  /** Line of its first line of code. */
  readonly line: number
  /** `ts`, `sh`, `json`. */
  readonly language: string
  readonly code: string
}

/** The root of the repository. */
export const ROOT: string = join(import.meta.dirname, '../..')

/** The blocks of a Markdown file, in order. */
export function codeBlocks(path: string): readonly CodeBlock[] {
  return fenced(path, readFileSync(join(ROOT, path), 'utf8'))
}

/** The blocks after `@example` in the doc comments of a source file, in order. */
export function docExamples(path: string): readonly CodeBlock[] {
  let inside = false
  const lines = readFileSync(join(ROOT, path), 'utf8').split('\n')
  // What is not an example becomes an empty line, so that the numbers of the lines stay true.
  const examples = lines.map((line) => {
    const text = /^\s*\* ?(.*)$/.exec(line)?.[1]
    if (text === undefined || text === '/') inside = false
    else if (text.startsWith('@')) inside = text.trimEnd() === '@example'
    return inside && text !== undefined ? text : ''
  })
  return fenced(path, examples.join('\n'))
}

function fenced(path: string, text: string): readonly CodeBlock[] {
  return [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map((match) => {
    const [, language = '', code = ''] = match
    return { path, line: text.slice(0, match.index).split('\n').length + 1, language, code }
  })
}

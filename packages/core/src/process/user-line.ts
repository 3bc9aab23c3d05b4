// The line of the user's own code in which an error happened: the innermost that is neither of a package in node_modules nor of Avocet.
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

const FRAME = /(?:^at (?:async )?|\()((?:file:\/\/)?\/[^()\n]+?):(\d+):(\d+)\)?$/

/** The folder that core and the other packages are in, whether as sources or built. */
const PACKAGES = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))))
const SOURCE = /^\/[^/]+\/(?:src|dist)\//

/**
 * `/home/me/spider.ts:12:9`; undefined when no line is the user's.
 *
 * @example
 * ```ts
 * const stack = 'Error: no price\n    at start (/home/me/spider.ts:12:9)'
 * userLine(Object.assign(new Error('no price'), { stack })) // '/home/me/spider.ts:12:9'
 * ```
 */
export function userLine(error: unknown): string | undefined {
  const stack = error instanceof Error ? (error.stack ?? '') : ''
  for (const line of stack.split('\n')) {
    const [, file, row, column] = FRAME.exec(line.trim()) ?? []
    if (file === undefined || row === undefined || column === undefined) continue
    const path = file.startsWith('file:') ? fileURLToPath(file) : file
    if (isUsers(path)) return `${path}:${row}:${column}`
  }
  return undefined
}

function isUsers(path: string): boolean {
  if (`${dirname(path)}/`.includes('/node_modules/')) return false
  return !path.startsWith(PACKAGES) || !SOURCE.test(path.slice(PACKAGES.length))
}

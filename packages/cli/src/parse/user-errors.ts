// Errors in code of the user's own: the line where one happened, and promises that nobody awaits.
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isNativeError } from 'node:util/types'
import { messageOf } from '@avocet/core/store'
import { printable } from '../text/printable.ts'

const FRAME = /(?:^at (?:async )?|\()((?:file:\/\/)?\/[^()\n]+?):(\d+):(\d+)\)?$/

/** The folders that core and this command are in, whether as sources or built. */
const OURS: readonly string[] = [import.meta.resolve('@avocet/core'), import.meta.url].map((url) => {
  const path = fileURLToPath(url)
  return `${path.slice(0, path.lastIndexOf(path.includes('/dist/') ? '/dist/' : '/src/'))}/`
})

/** `/home/me/spider.ts:12:9`; undefined when no line is the user's. */
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
  return !`${dirname(path)}/`.includes('/node_modules/') && !OURS.some((folder) => path.startsWith(folder))
}

/** A promise that nobody awaits must not end the process: it is said, until disposed. `where` it is to be awaited: the end of the line. */
export function forgiveRejections(say: (line: string) => void, where: string = 'where it is made'): Disposable {
  const heard = (reason: unknown): void => {
    // Code in the shell has errors of a realm of its own.
    const message = printable(isNativeError(reason) ? reason.message : messageOf(reason))
    const line = userLine(reason)
    say(`${line === undefined ? '' : `${line}: `}an unawaited promise was rejected: ${message}; await it ${where}`)
  }
  process.on('unhandledRejection', heard)
  return { [Symbol.dispose]: () => void process.off('unhandledRejection', heard) }
}

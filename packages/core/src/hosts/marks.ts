// A short list of what is remembered of a host, each as a hash, in its memory: the one that was added longest ago comes first, and goes first.
import { hash } from 'node:crypto'

/** Absent while there is none. */
export type Marks = readonly string[] | undefined

/** 32 bits: with a hundred of them, one in 40 million is taken for one that is there. */
export function markOf(text: string): string {
  return hash('sha1', text, 'hex').slice(0, 8)
}

/** `marks` with `added` as the newest, at most `most`. */
export function withMarks(marks: Marks, added: readonly string[], most: number): Marks {
  return added.length === 0 ? marks : [...(withoutMarks(marks, added) ?? []), ...added].slice(-most)
}

/** `marks` without `removed`. */
export function withoutMarks(marks: Marks, removed: readonly string[]): Marks {
  const left = marks?.filter((mark) => !removed.includes(mark))
  return left === undefined || left.length === 0 ? undefined : left
}

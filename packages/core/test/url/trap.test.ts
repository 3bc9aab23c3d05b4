// URLs that only a trap makes.
import { describe, expect, it } from 'vitest'
import { trapReason } from '../../src/url/scope.ts'

const folders = (n: number): string => Array.from({ length: n }, (_, i) => `/${i}`).join('')
const parameters = (n: number): string => Array.from({ length: n }, (_, i) => `p${i}=1`).join('&')

describe('a URL', () => {
  it.each<[string, string, ReturnType<typeof trapReason>]>([
    ['with 32 folders', folders(32), undefined],
    ['with 33', folders(33), 'url-limit'],
    ['with 64 parameters', `/?${parameters(64)}`, undefined],
    ['with 65', `/?${parameters(65)}`, 'url-limit'],
    ['with a folder four times', '/a/b/a/c/a/d/a', undefined],
    ['with a folder five times', '/a/b/a/c/a/d/a/e/a', 'trap'],
    ['with empty folders beside five as long as each other', '//////a/b/c/d/e', undefined],
    ['with slashes in its query', `/?next=${folders(40)}`, undefined],
  ])('%s', (_what, path, reason) => {
    expect(trapReason(`http://shop.test${path}`)).toBe(reason)
  })
})

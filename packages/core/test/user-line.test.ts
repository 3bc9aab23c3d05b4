// Which line of a stack is the user's own.
import { describe, expect, it } from 'vitest'
import { userLine } from '../src/process/user-line.ts'

describe("the user's line", () => {
  it('is the first of the stack that is neither of Node, nor of a package, nor ours', () => {
    const error = new Error('no')
    error.stack = [
      'Error: no',
      '    at Parser.parse (file:///home/me/shop/node_modules/css-what/index.js:1:2)',
      `    at HtmlPage.text (${import.meta.resolve('@avocet/core')}:10:5)`,
      '    at node:internal/process:1:1',
      '    at Object.start (file:///home/me/sh%20op/spider.ts:12:9)',
      '    at start.next (<anonymous>)',
    ].join('\n')

    expect(userLine(error)).toBe('/home/me/sh op/spider.ts:12:9')
    expect(userLine('a text')).toBeUndefined()
  })
})

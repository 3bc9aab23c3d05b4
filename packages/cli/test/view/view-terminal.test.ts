// The thin part of the live view: what it writes to a terminal and to a log, and when it may.
import { EventEmitter } from 'node:events'
import { stripVTControlCharacters } from 'node:util'
import type { Clock } from '@avocet/core/store'
import { describe, expect, it, onTestFinished } from 'vitest'
import { columnsOf, plain, screenColumns } from '../../../project/src/text/terminal.ts'
import { frame, progressLine } from '../../src/view/frame.ts'
import { isLeading, LiveView } from '../../src/view/live-view.ts'
import { scene } from './view-scene.ts'

interface Wishes {
  readonly isTTY?: boolean
  readonly columns?: number
  readonly foreground?: boolean
  readonly env?: Readonly<Record<string, string>>
}

/** A view, what it wrote, and a clock whose wakes are called by hand. */
function screen({ isTTY = true, columns = 80, foreground = true, env = {} }: Wishes) {
  const written: string[] = []
  const wakes: { at: number; wake: () => void }[] = []
  const time = { now: 0, isForeground: foreground }
  const clock: Clock = {
    now: () => time.now,
    monotonic: () => time.now,
    at(at, sleeper) {
      wakes.push({
        at,
        wake() {
          time.now = at
          sleeper()
        },
      })
      return { [Symbol.dispose]() {} }
    },
    hold: () => ({ [Symbol.dispose]() {} }),
  }
  const resized = new EventEmitter()
  const stderr = Object.assign(resized, { isTTY, columns, rows: 40, write: (text: string) => written.push(text) > 0 })
  const view = new LiveView({
    stderr,
    clock,
    paint: plain,
    foreground: () => time.isForeground,
    env,
    events: process,
  })
  onTestFinished(() => view.stop())
  return { view, written, wakes, stderr, time }
}

/** Control sequences by name. */
function seen(text = ''): string {
  return text
    .replaceAll('\u001b[0J', '<erase below>')
    .replaceAll('\u001b[K', '')
    .replaceAll('\u001b[', '<up ')
    .replaceAll(/(?<=<up \d+)F/g, '>')
}

const LINES = frame(scene(), { columns: 80, rows: 40 })

describe('the live view on a terminal', () => {
  it('draws over itself four times a second', () => {
    const { view, written, wakes } = screen({})
    view.start(() => scene())
    expect(wakes[0]?.at).toBe(250)
    wakes[0]?.wake()
    wakes[1]?.wake()

    expect(seen(written[0])).toBe(`${LINES.join('\n')}\n`)
    expect(seen(written[1])).toBe(`<up ${LINES.length}>${LINES.join('\n')}\n<erase below>`)
  })

  it('asks for as many hosts as there is room for', () => {
    const { view, wakes } = screen({})
    const rooms: (number | undefined)[] = []
    view.start((room) => {
      rooms.push(room)
      return scene()
    })
    wakes[0]?.wake()
    expect(rooms).toEqual([undefined, 28])
  })

  it('draws at once when the terminal is resized, over as many rows as a narrowed one folded the block into', () => {
    const { view, written, wakes, stderr } = screen({})
    view.start(() => scene())
    wakes[0]?.wake()
    stderr.columns = 40
    stderr.emit('resize')

    const folded = LINES.reduce((sum, line) => sum + Math.max(1, Math.ceil(columnsOf(line) / 40)), 0)
    expect(written).toHaveLength(2)
    expect(seen(written[1]).startsWith(`<up ${folded}>`)).toBe(true)
  })

  it('prints other lines above the block and leaves none behind', () => {
    const { view, written, wakes } = screen({})
    view.start(() => scene())
    wakes[0]?.wake()
    view.say('hello')
    view.stop()

    expect(seen(written[1])).toMatch(/^<up \d+><erase below>hello\nprice-watch running/)
    expect(seen(written.at(-1))).toMatch(/^<up \d+><erase below>$/)
  })

  it('leaves the terminal to the shell while it is in the background: a line every 30 s', () => {
    const { view, written, wakes } = screen({ foreground: false })
    view.start(() => scene())
    for (let n = 0; n < 29; n++) wakes[n]?.wake()
    expect(wakes.at(-1)?.at).toBe(60_000)
    view.stop()

    expect(written).toEqual([`${progressLine(scene())}\n`])
  })

  it('draws again within two seconds of being brought back', () => {
    const { view, written, wakes, time } = screen({ foreground: false })
    view.start(() => scene())
    time.isForeground = true
    expect(wakes[0]?.at).toBe(2_000)
    wakes[0]?.wake()
    wakes[1]?.wake()

    expect(seen(written[0])).toBe(`${LINES.join('\n')}\n`)
  })

  it('goes on below after it was stopped: what it had drawn is scrolled away', () => {
    const { view, written, wakes } = screen({})
    view.start(() => scene())
    wakes[0]?.wake()
    process.emit('SIGCONT')
    wakes.at(-1)?.wake()

    expect(written).toHaveLength(2)
    expect(seen(written[1])).toBe(`${LINES.join('\n')}\n`)
  })

  it('ends the view and not the crawl when a plugin has said what cannot be shown', () => {
    const { view, written, wakes } = screen({})
    let looks = 0
    view.start(() => {
      if (++looks === 3) throw new Error('why is no text')
      return scene()
    })
    wakes[0]?.wake()
    wakes[1]?.wake()

    expect(seen(written[1])).toMatch(/^<up \d+><erase below>$/)
    expect(written[2]).toBe('the live view ends here, the crawl continues: why is no text\n')
    expect(wakes).toHaveLength(2)
  })

  it.each([{ TERM: 'dumb' }, { CI: 'true' }])('draws nothing with %o', (env) => {
    const { view, written, wakes } = screen({ env })
    view.start(() => scene())
    for (let n = 0; n < 15; n++) wakes[n]?.wake()
    view.stop()

    expect(written).toEqual([`${progressLine(scene())}\n`])
  })
})

describe('the live view elsewhere', () => {
  it('prints a line every 30 s, without any control sequence', () => {
    const { view, written, wakes } = screen({ isTTY: false })
    view.start(() => scene())
    for (let n = 0; n < 14; n++) wakes[n]?.wake()
    expect([wakes.at(-1)?.at, written]).toEqual([30_000, []])
    for (let n = 14; n < 30; n++) wakes[n]?.wake()
    view.stop()

    expect(written).toEqual([`${progressLine(scene())}\n`, `${progressLine(scene())}\n`])
    expect(stripVTControlCharacters(written.join(''))).toBe(written.join(''))
  })

  it('looks at the crawl only when a line is due, for no hosts', () => {
    const { view, wakes } = screen({ isTTY: false })
    const rooms: (number | undefined)[] = []
    view.start((room) => {
      rooms.push(room)
      return scene()
    })
    for (let n = 0; n < 29; n++) wakes[n]?.wake()
    expect(rooms).toEqual([undefined, undefined])
  })

  it('folds lines between words at the width of a terminal, and not where there is none', () => {
    const line = 'SIGINT: waiting for requests in flight, at most 30 s; press again to stop now'
    const [narrow, serial, log] = [screen({ columns: 60 }), screen({ columns: 0 }), screen({ isTTY: false, columns: 60 })]
    for (const { view } of [narrow, serial, log]) view.say(line)

    expect(narrow.written).toEqual(['SIGINT: waiting for requests in flight, at most 30 s; press\n  again to stop now\n'])
    expect([serial.written, log.written]).toEqual([[`${line}\n`], [`${line}\n`]])
    expect([screenColumns({ isTTY: true, columns: 0 }), screenColumns({ columns: 132 })]).toEqual([80, Infinity])
  })
})

describe('the foreground of a terminal', () => {
  it.each([
    ['our process group leads', '812 (node) S 800 812 800 34816 812 4194304', true],
    ['another one does', '812 (node) S 800 812 800 34816 800 4194304', false],
    ['there is no terminal', '812 (node) S 800 812 812 0 -1 4194304', true],
    ['a name that looks like fields', '812 (a) S 1 2) S 800 812 800 34816 800 4194304', false],
  ])('%s', (_what, stat, isForeground) => {
    expect(isLeading(stat)).toBe(isForeground)
  })
})

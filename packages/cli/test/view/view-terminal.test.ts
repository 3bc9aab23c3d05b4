// The thin part of the live view: what it writes to a terminal and to a log, and what it does with the keyboard.
import { EventEmitter } from 'node:events'
import { stripVTControlCharacters } from 'node:util'
import type { Clock } from '@avocet/core/store'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { columnsOf, screenColumns } from '../../src/text/columns.ts'
import { isLeading, muteKeyboard, type Keyboard } from '../../src/view/terminal.ts'
import { frame, progressLine } from '../../src/view/frame.ts'
import { LiveView } from '../../src/view/live-view.ts'
import { plain } from '../../src/text/paint.ts'
import { scene } from './view-scene.ts'

interface Wishes {
  readonly isTTY?: boolean
  readonly columns?: number
  readonly stdin?: Keyboard
  readonly foreground?: boolean
  readonly env?: Readonly<Record<string, string>>
}

/** A view, what it wrote, and a clock whose wakes are called by hand. */
function screen({ isTTY = true, columns = 80, stdin, foreground = true, env = {} }: Wishes) {
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
    ...(stdin && { stdin }),
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

/** A keyboard that notes the mode of its terminal. */
function keyboard() {
  const modes: boolean[] = []
  const keys = Object.assign(new EventEmitter(), {
    isTTY: true,
    readable: true,
    resume: () => modes,
    pause: () => modes,
    setRawMode: (isRaw: boolean) => modes.push(isRaw),
  })
  return { keys: keys as unknown as Keyboard, modes, type: (text: string) => keys.emit('data', Buffer.from(text)) }
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
    const rooms: number[] = []
    view.start((room) => {
      rooms.push(room)
      return scene()
    })
    wakes[0]?.wake()
    expect(rooms).toEqual([0, 28])
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
    const { keys, modes } = keyboard()
    const { view, written, wakes } = screen({ foreground: false, stdin: keys })
    view.start(() => scene())
    for (let n = 0; n < 29; n++) wakes[n]?.wake()
    expect(wakes.at(-1)?.at).toBe(60_000)
    view.stop()

    expect(written).toEqual([`${progressLine(scene())}\n`])
    expect(modes).toEqual([])
  })

  it('draws again within two seconds of being brought back', () => {
    const { keys, modes } = keyboard()
    const { view, written, wakes, time } = screen({ foreground: false, stdin: keys })
    view.start(() => scene())
    time.isForeground = true
    expect(wakes[0]?.at).toBe(2_000)
    wakes[0]?.wake()
    wakes[1]?.wake()

    expect(seen(written[0])).toBe(`${LINES.join('\n')}\n`)
    expect(modes).toEqual([true])
  })

  it('touches nothing between control-Z and its going on', () => {
    const { keys, modes } = keyboard()
    const { view, written, wakes, time, stderr } = screen({ stdin: keys })
    view.start(() => scene())
    wakes[0]?.wake()
    const sent: unknown[] = []
    vi.spyOn(process, 'kill').mockImplementation((...signal) => {
      sent.push(signal)
      return true
    })
    keys.emit('data', Buffer.from('\u001a'))
    vi.restoreAllMocks()
    time.isForeground = false
    stderr.emit('resize')
    process.emit('SIGCONT')
    wakes.at(-1)?.wake()

    expect(sent).toEqual([[0, 'SIGTSTP']])
    expect(written).toHaveLength(1)
    expect(modes).toEqual([true, false, false])
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

  it('draws again when control-Z stopped nothing, as under a shell without jobs', () => {
    const { keys } = keyboard()
    const { view, written, wakes } = screen({ stdin: keys })
    view.start(() => scene())
    vi.spyOn(process, 'kill').mockReturnValue(true)
    keys.emit('data', Buffer.from('\u001a'))
    vi.restoreAllMocks()
    wakes.at(-1)?.wake()
    wakes.at(-1)?.wake()

    expect(seen(written[0])).toBe(`${LINES.join('\n')}\n`)
  })

  it('ends the view and not the crawl when a plugin has said what cannot be shown', () => {
    const { keys, modes } = keyboard()
    const { view, written, wakes } = screen({ stdin: keys })
    let looks = 0
    view.start(() => {
      if (++looks === 3) throw new Error('why is no text')
      return scene()
    })
    wakes[0]?.wake()
    wakes[1]?.wake()

    expect(seen(written[1])).toMatch(/^<up \d+><erase below>$/)
    expect(written[2]).toBe('the live view ends here, the crawl continues: why is no text\n')
    expect([wakes.length, modes]).toEqual([2, [true, false]])
  })

  it('draws at once when the key that pauses is pressed, and hands it on; another key does nothing', () => {
    const { keys, type } = keyboard()
    const { view, written, wakes } = screen({ stdin: keys })
    let pauses = 0
    view.start(() => scene(), { pause: () => pauses++ })
    wakes[0]?.wake()
    type('s/?')
    type('pp')
    type('\u001b[p')
    type('p')

    expect([written.length, pauses]).toEqual([2, 1])
    expect(written[0]).toContain('p pauses')
  })

  it.each([{ TERM: 'dumb' }, { CI: 'true' }])('draws nothing and takes no keys with %o', (env) => {
    const { keys, modes } = keyboard()
    const { view, written, wakes } = screen({ stdin: keys, env })
    view.start(() => scene(), { pause: () => {} })
    for (let n = 0; n < 15; n++) wakes[n]?.wake()
    view.stop()

    expect([written, modes]).toEqual([[`${progressLine(scene())}\n`], []])
  })

  it('mutes the keyboard while it shows', () => {
    const { keys, modes } = keyboard()
    const { view } = screen({ stdin: keys })
    view.start(() => scene())
    expect(modes).toEqual([true])
    view.stop()
    expect(modes).toEqual([true, false])
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

  it('looks every two seconds all the same: a rate needs more than one look', () => {
    const { view, wakes } = screen({ isTTY: false })
    let looks = 0
    view.start(() => {
      looks++
      return scene()
    })
    for (let n = 0; n < 5; n++) wakes[n]?.wake()
    expect(looks).toBe(6)
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

describe.skipIf(process.platform === 'win32')('a muted keyboard', () => {
  it('sends the signals that the terminal would have sent, and swallows all else', () => {
    const { keys, type } = keyboard()
    const sent: NodeJS.Signals[] = []
    using _muted = muteKeyboard(keys, { send: (signal) => void sent.push(signal) })
    type('hello\r\n\u001b[A')
    expect(sent).toEqual([])
    type('x\u0003')
    type('\u0003')
    type('\u001c')
    expect(sent).toEqual(['SIGINT', 'SIGINT', 'SIGQUIT'])
  })

  it('hands on what else is typed, also where a character comes in two parts', () => {
    const { keys } = keyboard()
    const heard: string[] = []
    using _muted = muteKeyboard(keys, { send: () => {}, typed: (text) => void heard.push(text) })
    keys.emit('data', Buffer.from('a\u0003b'))
    for (const byte of Buffer.from('é')) keys.emit('data', Buffer.from([byte]))

    expect(heard.join('')).toBe('abé')
  })

  it('gives the terminal back before it stops or quits', () => {
    const { keys, modes, type } = keyboard()
    const atSignal: unknown[] = []
    using _muted = muteKeyboard(keys, { send: (signal) => void atSignal.push([signal, modes.at(-1)]) })
    type('\u0003')
    type('\u001a')
    expect(atSignal).toEqual([
      ['SIGINT', true],
      ['SIGTSTP', false],
    ])
  })

  it('hears nothing more once it is disposed', () => {
    const { keys, modes, type } = keyboard()
    const sent: NodeJS.Signals[] = []
    muteKeyboard(keys, { send: (signal) => void sent.push(signal) })?.[Symbol.dispose]()
    type('\u0003')
    expect([sent, modes.at(-1)]).toEqual([[], false])
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

// What an exchange makes of undici's callbacks where a real server cannot be made to cause them at the right moment.
import type { Response } from '@avocet/core'
import { DEFAULTS, systemClock } from '@avocet/core/store'
import { ByteBudget } from '../src/byte-budget.ts'
import { describe, expect, it } from 'vitest'
import { Connections } from '../src/connections.ts'
import type { DispatchClient } from '../src/dispatch.ts'
import { Watchdog } from '../src/watchdog.ts'
import { ReadTurns } from '../src/read-turns.ts'
import type { Wire } from '../src/wire.ts'
import { WireExchange } from '../src/wire-exchange.ts'
import { outbound } from './web.ts'

/** What undici does with one request: handler calls in order. */
type Script = (handler: WireExchange) => void

/** Clients that act scripts instead of connecting: one list of scripts for each client, in the order in which clients are made. */
function scriptedWire(...clients: Script[][]): { readonly wire: Wire; destroyed: () => number } {
  let [made, destroyed] = [0, 0]
  const clock = systemClock()
  const connections = new Connections({
    clock,
    keepAliveMs: 15_000,
    maxIdle: 10,
    rawFor: () => ({ publicOnly: neverConnects, any: neverConnects }),
    makeClient(): DispatchClient {
      const scripts = clients[made++] ?? []
      return {
        dispatch(_options, handler) {
          queueMicrotask(() => scripts.shift()?.(handler as WireExchange))
          return true
        },
        destroy(_error, done) {
          destroyed += 1
          done()
        },
        on() {},
      }
    },
  })
  return {
    wire: {
      clock,
      limits: DEFAULTS.sizeLimits,
      windowMs: 30_000,
      connections,
      watchdog: new Watchdog(clock),
      bodyBudget: new ByteBudget(2 ** 20),
      readTurns: new ReadTurns(clock),
    },
    destroyed: () => destroyed,
  }
}

function neverConnects(): never {
  throw new Error('a scripted client does not connect')
}

function run(wire: Wire): Promise<{ response?: Response; code?: string }> {
  return new Promise((resolve) => {
    const receiver = {
      sent() {},
      headers: () => 'read' as const,
      done: (response: Response) => resolve({ response }),
      failed: ({ code }: { code: string }) => resolve({ code }),
    }
    new WireExchange(wire, outbound('http://shop.test/'), receiver).begin('http://shop.test', {
      path: '/',
      method: 'GET',
      headers: {},
      body: null,
    })
  })
}

const answers: Script = (handler) => {
  handler.onRequestStart()
  handler.onResponseStart({ rawHeaders: [], pause() {}, resume() {} }, 200, {})
  handler.onResponseEnd()
}
const failsUnsent: Script = (handler) =>
  handler.onResponseError(null, Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }))

describe('wire exchange', () => {
  it('starts again when a kept connection fails before anything was written', async () => {
    const { wire, destroyed } = scriptedWire([answers, failsUnsent], [answers])
    await run(wire)
    const second = await run(wire)
    expect(second.response?.status).toBe(200)
    expect(destroyed()).toBe(1)
  })

  it('does not start again after the fetcher was closed', async () => {
    const closed: Script = (handler) =>
      handler.onResponseError(null, Object.assign(new Error('closed'), { code: 'UND_ERR_DESTROYED' }))
    const { wire } = scriptedWire([answers, closed], [answers])
    await run(wire)
    expect((await run(wire)).code).toBe('AVO_ABORTED')
  })
})

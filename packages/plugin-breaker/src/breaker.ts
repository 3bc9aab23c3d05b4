// The plugin: binds the circuit of each host to the hooks. It holds hosts, and never fails a request: what waits is not lost.
import { definePlugin, type Exchange, type Plugin } from '@avocet/core'
import { breakerRules, type BreakerOptions } from './breaker-options.ts'
import { booked, FRESH_CIRCUIT, heard, type Circuit } from './circuit.ts'
import { explained } from './explain.ts'
import { holdOf } from './hold.ts'
import { rewoundCircuit } from './rewound-circuit.ts'
import { signalOfAnswer, signalOfFailure, type Signal } from './signal.ts'

interface BreakerMemory {
  circuit: Circuit
}

/**
 * Leaves hosts alone that fail, and feels for them with one request at a time, less and less often.
 *
 * @throws AVO_CONFIG_INVALID for an option that is unknown or out of range.
 * @example
 * ```ts
 * const plugins = [breaker({ failures: 5, openMs: 5_000 })]
 * ```
 */
export function breaker(options: BreakerOptions = {}): Plugin {
  const rules = breakerRules(options)
  const hear = (exchange: Exchange, signal: Signal, now: number, memory: BreakerMemory): void => {
    const { host, seq } = exchange
    const event = { signal, seq, lastSeq: host.seq, proven: host.proven, now, chance: () => exchange.random('breaker') }
    memory.circuit = heard(memory.circuit, event, rules)
  }
  return definePlugin<BreakerMemory>({
    name: 'breaker',
    hostMemory: () => ({ circuit: FRESH_CIRCUIT }),
    rewindHost: ({ circuit }, byMs) => ({ circuit: rewoundCircuit(circuit, byMs) }),
    admit(ask, memory) {
      const { notBefore, atMost, why } = holdOf(memory.circuit.phase, ask.now)
      if (notBefore > 0) ask.notBefore(notBefore, why)
      // Zero only takes back what is booked and not sent: with nothing in flight the moment alone says when.
      if (atMost < Infinity && (atMost > 0 || ask.host.inFlight > 0)) ask.atMost(atMost, why)
    },
    onAdmit({ seq, admittedAt }, memory) {
      memory.circuit = booked(memory.circuit, { seq, now: admittedAt })
    },
    onResponse({ exchange, response, now, wanted }, _ballot, memory) {
      hear(exchange, signalOfAnswer(response, wanted, rules.blockedStatuses), now, memory)
    },
    onError({ exchange, failure, now }, _ballot, memory) {
      hear(exchange, signalOfFailure(failure), now, memory)
    },
    explain: ({ now }, memory) => explained(memory.circuit, now),
  })
}

// Steps of the model contract that say which hosts are given up, and which requests are wanted at another moment, or not at all.
import { expect } from 'vitest'
import { step, type ModelStep } from './model-step.ts'

/** A host is given up, to be probed at a moment, or in a later run. */
export function retiring({ host: hostKey, at }: { host: string; at: number | null }): ModelStep {
  return step(`retire(${hostKey}, ${at})`, async (model, real) => {
    const probeAt = at === null ? Infinity : model.now + at
    await real.frontier.retire(hostKey, 'closed', probeAt)
    const host = model.hosts.get(hostKey)
    if (host !== undefined) host.retired = probeAt
  })
}

/** Hosts that were given up are probed sooner. */
export function probing(from: number | null): ModelStep {
  return step(`probe-retired(${from})`, async (model, real) => {
    const when = { from: from === null ? Infinity : model.now + from, now: model.now }
    await real.frontier.change({ kind: 'probe-retired', ...when })
    for (const host of model.hosts.values()) if (host.retired !== undefined && host.retired >= when.from) host.retired = when.now
  })
}

/** A host is back. */
export function reviving(hostKey: string): ModelStep {
  return step(`revive(${hostKey})`, async (model, real) => {
    await real.frontier.change({ kind: 'revive', hostKey })
    const host = model.hosts.get(hostKey)
    if (host === undefined) return
    host.retired = undefined
    if (!host.held) host.readyAt = 0
  })
}

/** Failed requests of a host wait again. */
export function failuresReopening(hostKey: string): ModelStep {
  return step(`reopen(${hostKey})`, async (model, real) => {
    const failed = model.requests.filter((request) => request.hostKey === hostKey && request.state === 'failed' && !request.out)
    expect(await real.frontier.change({ kind: 'reopen', hostKey, limit: 99 })).toBe(failed.length)
    for (const request of failed)
      Object.assign(request, { state: 'waiting', again: false, dropped: false, notBefore: 0, attempts: 0 })
  })
}

/** Given-up requests of a host are dropped. */
export function dropping({ host: hostKey, underRetired }: { host: string; underRetired: boolean }): ModelStep {
  return step(`drop(${hostKey}${underRetired ? ', under a retired host' : ''})`, async (model, real) => {
    const dropped = underRetired ? model.leftUnderRetired(hostKey) : model.givenUp(hostKey)
    const query = { hostKey, limit: 99, ...(underRetired && { underRetired }) }
    expect(await real.frontier.change({ kind: 'drop', ...query })).toBe(dropped.length)
    for (const request of dropped) Object.assign(request, { state: 'failed', dropped: true, notBefore: undefined })
  })
}

/** Requests have no id in the model: the store says which this one is. */
export function revisiting({ id, at }: { id: number; at: number | null }): ModelStep {
  return step(`revisit(${id}, ${at})`, async (model, real) => {
    const [record] = await real.frontier.reader.requests({ afterId: id - 1, limit: 1 })
    const request = model.requests.find(({ path }) => path === record?.url)
    await real.frontier.change({ kind: 'revisit', wanted: [{ id, ...(at !== null && { at: model.now + at }) }] })
    if (request === undefined || request.state === 'waiting' || request.out || request.asked) return
    request.again = at !== null
    if (at !== null) request.dueAt = model.now + at
    request.notBefore = at === null ? undefined : model.now + at
  })
}

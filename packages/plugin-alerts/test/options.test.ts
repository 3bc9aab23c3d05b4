// What is wrong with options is said in one line, which shows no secret.
import { alerts, type AlertOptions } from '@avocet/plugin-alerts'
import { describe, expect, it } from 'vitest'

const to = [() => undefined]

describe('alerts()', () => {
  it.each<[string, object, string]>([
    ['no targets', {}, 'expected alerts: to to be a list, got nothing'],
    [
      'an empty list of targets',
      { to: [] },
      'expected alerts: to to have a target, or a heartbeat beside it, got none; add one, or leave the plugin out',
    ],
    ['a rule that is none', { to, rules: { brokn: true } }, "alerts: rules has no option 'brokn' (did you mean 'broken'?)"],
    [
      'a share of a rule',
      { to, rules: { refusedRatio: 30 } },
      'expected alerts: rules.refusedRatio to be a number from 0 to 1, or false, got 30',
    ],
    [
      'a variable that is not set',
      { to: [{ slack: undefined }] },
      'expected alerts: to[0].slack to be an http(s) URL, got nothing; set the variable that it comes from',
    ],
    [
      'a heartbeat that is not set',
      { to, heartbeat: undefined },
      'expected alerts: heartbeat to be an http(s) URL, got nothing; set the variable that it comes from',
    ],
    [
      'no URL',
      { to: [{ webhook: 'hooks.test/s3cret' }] },
      'expected alerts: to[0].webhook to be an http(s) URL, got something else; it is not shown here, because it may hold a secret',
    ],
    [
      'a server that is none of mail',
      { to: [{ email: { smtp: 'https://u:hunter22@mail.test', from: 'a@a.test', to: 'b@b.test' } }] },
      'expected alerts: to[0].email.smtp to be an smtp(s) URL, got something else; it is not shown here, because it may hold a secret',
    ],
    [
      'a kind that is none',
      { to: [{ slak: 'https://hooks.test' }] },
      "alerts: to[0] has no option 'slak' (did you mean 'slack'?)",
    ],
    [
      'two kinds at once',
      { to: [{ slack: 'https://a.test', teams: 'https://b.test' }] },
      'expected alerts: to[0] to be a function, or an object with one of webhook, slack, discord, teams, email, command',
    ],
    [
      'a command as one text',
      { to: [{ command: 'mail me' }] },
      "expected alerts: to[0].command to be a list of a program and its arguments, got 'mail me'",
    ],
  ])('refuses %s', (_, options, message) => {
    let said = ''
    try {
      alerts(options as AlertOptions)
    } catch (error) {
      said = error instanceof Error && 'code' in error ? `${String(error.code)} ${error.message}` : ''
    }

    expect(said).toBe(`AVO_CONFIG_INVALID ${message}`)
  })

  it('reports the kinds of its targets, and nothing else of them', () => {
    const { options } = alerts({ to: [{ slack: 'https://hooks.slack.test/s3cret' }], heartbeat: 'https://hc.test/s3cret' })

    expect(options).toEqual({ to: ['slack'], heartbeat: true })
  })

  it('tests each target, and says what came', async () => {
    const told: string[] = []
    const fails = (): never => {
      throw new Error('closed')
    }
    const plugin = alerts({ to: [(alert) => void told.push(`${alert.crawl} ${alert.state}`), fails] })

    const tried = await plugin.test?.({ crawl: 'prices', clock: { now: () => 1, monotonic: () => 1, at: fails, hold: fails } })

    expect(tried).toEqual([{ to: 'function' }, { to: 'function 2', problem: 'closed' }])
    expect(told).toEqual(['prices test'])
  })
})

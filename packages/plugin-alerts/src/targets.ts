// What each kind of target gets, and how. An error of a target has no URL and no password in it.
import { spawn } from 'node:child_process'
import { formatDuration } from '@avocet/core/plugin'
import { messageOf } from '@avocet/core/store'
import { Poster, signed, webhookReceiver } from '@avocet/sink-webhook/poster'
import type { Alert } from './laws/alert-law.ts'
import type { AlertMail, AlertTarget } from './options.ts'

/** An alert as it leaves. */
type SentAlert = Alert & { readonly crawl: string }

/** What a send has of its surroundings. */
export interface SendSurroundings {
  readonly signal: AbortSignal
  readonly clock: { now(): number }
}

/** A place that takes alerts, one at a time. */
export interface Target {
  /** Its kind, with a number where there are several. No secret. */
  readonly name: string
  /** Resolves once it has taken it. Throws an error without secrets. */
  send(alert: SentAlert, around: SendSurroundings): Promise<void>
}

/** The targets of the options. Throws AVO_CONFIG_INVALID. */
export function targetsOf(given: readonly AlertTarget[]): readonly Target[] {
  const counts = new Map<string, number>()
  return given.map((target) => {
    const kind = kindOf(target)
    const count = (counts.get(kind) ?? 0) + 1
    counts.set(kind, count)
    return { name: count === 1 ? kind : `${kind} ${count}`, send: sendTo(target) }
  })
}

/** A POST of nothing but that the crawl works. */
export function heartbeat(
  url: string,
): (sent: { readonly id: string; readonly crawl: string }, around: SendSurroundings) => Promise<void> {
  return posting(url, ({ crawl }) => ({ type: 'heartbeat', crawl }))
}

function kindOf(target: AlertTarget): string {
  return typeof target === 'function' ? 'function' : (Object.keys(target).find((key) => key !== 'headers') ?? '')
}

function sendTo(target: AlertTarget): Target['send'] {
  if (typeof target === 'function') return async (alert, { signal }) => target(alert, { signal })
  if ('webhook' in target) return posting(target.webhook, (alert) => ({ type: 'alert', ...alert }), target.headers)
  if ('slack' in target) return posting(target.slack, (alert) => ({ text: alertLine(alert).replaceAll(/[&<>]/g, slackEscape) }))
  if ('discord' in target)
    return posting(target.discord, (alert) => ({ content: alertLine(alert), allowed_mentions: { parse: [] } }))
  if ('teams' in target) return posting(target.teams, (alert) => card(alertLine(alert)))
  return 'email' in target ? mailing(target.email) : running(target.command)
}

/** Texts of sites must address nobody: `<!channel>`. */
function slackEscape(sign: string): string {
  return `&${sign === '&' ? 'amp' : sign === '<' ? 'lt' : 'gt'};`
}

function card(text: string): object {
  const content = { type: 'AdaptiveCard', version: '1.4', body: [{ type: 'TextBlock', text, wrap: true }] }
  return { type: 'message', attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', content }] }
}

/** By POST; signed if the environment has a secret. */
function posting<Sent extends { readonly id: string } = SentAlert>(
  url: string,
  bodyOf: (sent: Sent) => object,
  headers: Readonly<Record<string, string>> = {},
): (sent: Sent, around: SendSurroundings) => Promise<void> {
  const receiver = webhookReceiver({ url, headers })
  const poster = new Poster(receiver)
  return (sent, around) => {
    const body = JSON.stringify(bodyOf(sent))
    return poster.post({ body, headers: signed(receiver.keys, { id: sent.id, now: around.clock.now(), body }) }, around)
  }
}

/** Of SMTP, in ms: a server that is silent is tried again. */
const SILENT_MS = 20_000
const MAX_SUBJECT = 120

/** nodemailer is loaded with the first e-mail. */
function mailing({ smtp, from, to }: AlertMail): Target['send'] {
  const { username, password } = new URL(smtp)
  const secrets = [password, decodeURIComponent(password), username, decodeURIComponent(username)].filter((each) => each !== '')
  return async (alert) => {
    const { createTransport } = await import('nodemailer')
    const patience = { connectionTimeout: SILENT_MS, greetingTimeout: SILENT_MS, socketTimeout: SILENT_MS }
    const transport = createTransport({ url: smtp, ...patience })
    const subject = `[avocet] ${alertLine(alert).slice(0, MAX_SUBJECT)}`
    const text = `${alertLine(alert)}\n\n${new Date(alert.at).toISOString()}\n`
    const refused = await transport.sendMail({ from, to: [to].flat(), subject, text }).then(() => undefined, messageOf)
    transport.close()
    if (refused === undefined) return
    // Without a cause, which would have what a server repeats of the login.
    const said = secrets.reduce((rest, each) => rest.replaceAll(each, '__secret__'), refused)
    throw new Error(`expected the SMTP server to take the message, got: ${said}`)
  }
}

function running([program, ...args]: readonly [string, ...string[]]): Target['send'] {
  return (alert, { signal }) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const child = spawn(program, args, { stdio: ['pipe', 'ignore', 'ignore'], signal })
    child.on('error', (error) => reject(new Error(`expected the command ${program} to run, got: ${error.message}`)))
    child.on('close', (code, by) => {
      if (code === 0) return resolve()
      reject(new Error(`expected the command ${program} to end with exit code 0, got ${code ?? by ?? 'nothing'}`))
    })
    // One that does not read its input may have ended well.
    child.stdin.on('error', () => undefined)
    child.stdin.end(`${JSON.stringify(alert)}\n`)
    return promise
  }
}

/** A sentence for people. */
export function alertLine({ crawl, state, rule, subjects, more, since, at, text }: SentAlert): string {
  const over = state === 'ended' ? `over after ${formatDuration(at - since)}` : ''
  const names = `${subjects.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
  return [crawl, over, wordsOf(rule), names, text].filter((words) => words !== '').join(': ')
}

/** `sink fails` of `sinkFailsMs`. */
function wordsOf(rule: string): string {
  return rule.replace(/(?:Ratio|Items|Ms)$/, '').replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}

// A name server on loopback that says exactly what a test wants, over UDP and TCP on one port, and remembers what it was asked.
import { onTestFinished } from 'vitest'
import { startNameServer, type NameAnswer, type NameQuestion } from '../../../../stress/hostile/name-server.ts'

export interface DnsStub {
  /** As `nameServers` wants it. */
  readonly server: string
  readonly asked: readonly NameQuestion[]
}

/** Starts one. */
export async function dnsStub(say: (question: NameQuestion) => NameAnswer): Promise<DnsStub> {
  const asked: NameQuestion[] = []
  const { server, close } = await startNameServer((question) => {
    asked.push(question)
    return say(question)
  })
  onTestFinished(close)
  return { server, asked }
}

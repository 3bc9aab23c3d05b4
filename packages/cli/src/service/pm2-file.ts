// A file for pm2, ecosystem.config.cjs (pm2.keymetrics.io/docs/usage/application-declaration).
import { NOT_MENDED_BY_A_RESTART, RESTART_S, type ServiceFacts } from './service-facts.ts'

/** The text of the file. */
export function pm2File({ name, folder, node, program, words, stopMs }: ServiceFacts): string {
  const app = {
    name: `avocet-${name}`,
    cwd: folder,
    script: program,
    args: words,
    interpreter: node,
    // One crawl has one store: processes of its own are --processes.
    exec_mode: 'fork',
    instances: 1,
    kill_timeout: stopMs,
    stop_exit_codes: [0, ...NOT_MENDED_BY_A_RESTART, 130, 143],
    restart_delay: RESTART_S * 1_000,
    env: { NODE_ENV: 'production' },
  }
  return `// Save as ecosystem.config.cjs, then: pm2 start ecosystem.config.cjs && pm2 save
// pm2 stops with SIGINT, and waits kill_timeout ms for requests in flight. It does not restart after the exit codes below.
module.exports = ${JSON.stringify({ apps: [app] }, null, 2)}
`
}

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
    // Not 0: pm2 has it for a process that a signal killed, too (7.0.4, God.js: `code || 0`), and that one is to be restarted.
    stop_exit_codes: [...NOT_MENDED_BY_A_RESTART, 130, 143],
    restart_delay: RESTART_S * 1_000,
    env: { NODE_ENV: 'production' },
  }
  return `// Save as ecosystem.config.cjs, then: pm2 start ecosystem.config.cjs && pm2 save
// pm2 stops with SIGINT, and waits kill_timeout ms for requests in flight. It does not restart after the exit codes below,
// although it shows "waiting restart". It takes a crawl that has finished for one that was killed, and starts it again: stop it with pm2 stop, or pm2 delete.
module.exports = ${JSON.stringify({ apps: [app] }, null, 2)}
`
}

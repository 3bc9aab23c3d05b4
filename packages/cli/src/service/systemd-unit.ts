// A unit of systemd for a crawl (systemd.service(5), systemd.exec(5)).
import { EXIT_CODES } from '../exit-codes.ts'
import { NOT_MENDED_BY_A_RESTART, RESTART_S, START_S, WATCHDOG_S, type ServiceFacts } from './service-facts.ts'

/** What it may not do: all that a crawl does not need. Memory that is written and run is what V8 is made of, and namespaces are what a browser needs. */
const HARDENING = `NoNewPrivileges=yes
PrivateTmp=yes
PrivateDevices=yes
ProtectSystem=strict
ProtectHome=read-only
ProtectClock=yes
ProtectControlGroups=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK
RestrictSUIDSGID=yes
LockPersonality=yes
UMask=0077`

/** The text of the file. */
export function systemdUnit(facts: ServiceFacts): string {
  const { name, user, writes } = facts
  const unit = `avocet-${name.replace(/[^\w.-]/g, '-')}`
  return `# Save as /etc/systemd/system/${unit}.service, then:
#   mkdir -p ${writes.map(quoted).join(' ')}
#   systemctl daemon-reload && systemctl enable --now ${unit}
# It must be able to write to these folders as ${user}. Its messages: journalctl -u ${unit}
[Unit]
Description=Avocet crawl ${name.replaceAll('%', '%%')}
Wants=network-online.target
After=network-online.target

[Service]
${runs(facts, unit)}

${ends(facts)}

LimitNOFILE=65536
${HARDENING}
ReadWritePaths=${writes.map(quoted).join(' ')}

[Install]
WantedBy=multi-user.target
`
}

function runs({ user, folder, node, program, words }: ServiceFacts, unit: string): string {
  return `# Ready once its store is open; systemd-notify says so, a process of the crawl.
Type=notify
NotifyAccess=all
User=${user}
WorkingDirectory=${folder.replaceAll('%', '%%')}
ExecStart=${[node, program, ...words].map(quoted).join(' ')}
Environment=NODE_ENV=production
# Options as AVOCET_..., and secrets; a file that only root may read. It need not exist.
EnvironmentFile=-/etc/avocet/${unit}.env

TimeoutStartSec=${START_S}
# A crawl that hangs is killed, and resumes.
WatchdogSec=${WATCHDOG_S}
WatchdogSignal=SIGKILL`
}

function ends({ stopMs }: ServiceFacts): string {
  return `# Requests in flight finish first; only the crawl itself is asked to stop, and stops what it started.
KillMode=mixed
KillSignal=SIGTERM
TimeoutStopSec=${Math.ceil(stopMs / 1_000)}
SuccessExitStatus=130 143

Restart=on-failure
RestartSec=${RESTART_S}
# Somebody has to do something first:
${NOT_MENDED_BY_A_RESTART.map((code) => `#   ${code}: ${EXIT_CODES[code]}`).join('\n')}
RestartPreventExitStatus=${NOT_MENDED_BY_A_RESTART.join(' ')}`
}

/** A word as systemd reads it: specifiers and variables mean themselves. */
function quoted(word: string): string {
  const escaped = word
    .replace(/[\\"]/g, String.raw`\$&`)
    .replaceAll('%', '%%')
    .replaceAll('$', '$$$$')
  return /^[\w@%+=:,./-]+$/.test(word) ? escaped : `"${escaped}"`
}

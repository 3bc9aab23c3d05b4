// A StatefulSet of Kubernetes for a crawl: one pod, with a volume for its store.
//
// Texts are written as JSON, which YAML reads as it is. A pod is never two: a crawl that is started again waits for the volume.
// A port of metrics without a host is one of the whole pod here: what scrapes it is another pod.
import { isLoopback, listenAddressOf } from '@avocet/core/tools'
import { START_S, WATCHDOG_S, type ServiceFacts } from './service-facts.ts'

/** Of names: RFC 1123 labels. */
const MAX_NAME = 52

/** The text of the file. */
export function kubernetesManifest({ name, words, stopMs }: ServiceFacts): string {
  const label = `avocet-${name.toLowerCase().replace(/[^a-z0-9-]+/g, '-')}`.slice(0, MAX_NAME).replace(/-+$/, '')
  return `# The image is that of the Dockerfile of a project. Secrets and options (AVOCET_...) come from a Secret called ${label}, which need not exist.
# A pod is restarted whenever the crawl ends, so this is for one that does not end: with --every. For one that ends, put the pod into a Job or CronJob.
apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: ${label}
spec:
  # One crawl has one store in a file. More pods need a store on PostgreSQL.
  replicas: 1
  serviceName: ${label}
  selector:
    matchLabels: { app: ${label} }
  template:
    metadata:
      labels: { app: ${label} }
    spec:
      terminationGracePeriodSeconds: ${Math.ceil(stopMs / 1_000)}
      securityContext: { runAsNonRoot: true, runAsUser: 1000, runAsGroup: 1000, fsGroup: 1000 }
      containers:
${containerOf(label, words)}
      volumes:
        - { name: tmp, emptyDir: {} }
  volumeClaimTemplates:
    - metadata: { name: store }
      spec:
        accessModes: [ReadWriteOncePod]
        resources: { requests: { storage: 20Gi } }
`
}

function containerOf(label: string, words: readonly string[]): string {
  const check = (silence: string): string => JSON.stringify(['avocet', 'status', '--check', '--here', '--within', silence])
  const reached = words.map((word, index) => (isMetrics(words, index) && /^\d+$/.test(word) ? `0.0.0.0:${word}` : word))
  return `        - name: crawl
          image: registry.example/${label}:latest
          args: ${JSON.stringify(reached)}
${portsOf(reached)}          envFrom:
            - secretRef: { name: ${label}, optional: true }
          # A store may take long to open, and a crawl that hangs is not heard from.
          startupProbe:
            exec: { command: ${check('1m')} }
            periodSeconds: 15
            timeoutSeconds: 10
            failureThreshold: ${START_S / 15}
          livenessProbe:
            exec: { command: ${check(`${WATCHDOG_S}s`)} }
            periodSeconds: 60
            timeoutSeconds: 20
            failureThreshold: 3
          resources:
            requests: { cpu: 500m, memory: 512Mi }
            limits: { memory: 2Gi }
          securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: [ALL] } }
          volumeMounts:
            - { name: store, mountPath: /app/.avocet }
            - { name: tmp, mountPath: /tmp }`
}

/** The port that is scraped, by its name; none where it is any free one, or only the pod itself reaches it. */
function portsOf(words: readonly string[]): string {
  const address = listenAddressOf(words.find((_, index) => isMetrics(words, index)))
  return address === undefined || address.port === 0 || isLoopback(address.host)
    ? ''
    : `          ports:
            - { name: metrics, containerPort: ${address.port} }
`
}

/** A value that begins like an option is bound to its name, so this word stands for itself. */
function isMetrics(words: readonly string[], index: number): boolean {
  return words[index - 1] === '--metrics'
}

import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { Miniflare, NoOpLog } from 'miniflare'

/** What the service asks another Worker to send. */
export interface SentMail {
  readonly to: string
  readonly subject: string
  readonly url: string | null
}

/** The example on workerd, the runtime of Cloudflare Workers, with its Durable Object. */
export interface Workers {
  readonly mails: SentMail[]
  /** Sends a request from outside. */
  fetch(path: string, init?: Parameters<Miniflare['dispatchFetch']>[1]): ReturnType<Miniflare['dispatchFetch']>
  /** Where it listens, on loopback. */
  readonly url: URL
  stop(): Promise<void>
}

export const origin = 'https://example.com'

/** After a build the same tests run on what users get: `--mode built`. */
const sources = process.env.MODE === 'built' ? [] : ['@latchkey/source']

/** What tools for Workers do with an application: one file, with the conditions of that runtime. */
export async function bundle(
  entry = 'src/worker.ts',
): Promise<{ readonly text: string; readonly imports: readonly string[] }> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: fileURLToPath(new URL('../../', import.meta.url)),
    entryPoints: [entry],
    outdir: 'dist',
    write: false,
    metafile: true,
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: [...sources, 'workerd', 'worker', 'browser', 'module'],
    external: ['node:*', 'cloudflare:*'],
    logLevel: 'error',
  })
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports.map(({ path }) => path))
  return { text: outputFiles[0]?.text ?? '', imports }
}

/** How the platform is set up, apart from what the example needs. */
interface Platform {
  /** The compatibility flags. */
  readonly flags?: readonly string[]
  /**
   * Whether the code has the class of the Durable Object.
   * @default true
   */
  readonly stores?: boolean
}

/** Starts them without a network: nothing is fetched from anywhere, and mails are kept. */
export async function startWorkers(text: string, { flags = [], stores = true }: Platform = {}): Promise<Workers> {
  const mails: SentMail[] = []
  const miniflare = new Miniflare({
    log: new NoOpLog(),
    cf: false,
    // Requests have the host of the service, as they have behind its name.
    upstream: origin,
    host: '127.0.0.1',
    modules: [{ type: 'ESModule', path: 'worker.mjs', contents: text }],
    compatibilityDate: '2026-07-01',
    compatibilityFlags: [...flags],
    ...(stores && { durableObjects: { STORES: { className: 'StoresObject', useSQLite: true } } }),
    bindings: { BASE_URL: origin, SECRET: Buffer.alloc(32, 7).toString('base64url') },
    serviceBindings: {
      async MAILS(request: { json(): Promise<unknown> }) {
        mails.push((await request.json()) as SentMail)
        return new Response(null, { status: 204 }) as never
      },
    },
  })
  const url = await miniflare.ready
  return {
    mails,
    url,
    fetch: (path, init) => miniflare.dispatchFetch(`${origin}${path}`, init),
    stop: () => miniflare.dispose(),
  }
}

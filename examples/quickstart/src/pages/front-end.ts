import { readdir, readFile } from 'node:fs/promises'

/** The front end as `examples/spa` has been built. */
export interface FrontEnd {
  /** Its scripts and styles, by path. */
  readonly files: ReadonlyMap<string, { readonly type: string; readonly body: Uint8Array }>
  /** Returns the page, whose scripts and styles have this nonce. */
  page(nonce: string): string
}

const folder = new URL('../../public/', import.meta.url)
const types: Readonly<Record<string, string>> = { js: 'text/javascript', css: 'text/css' }

/** @param isDemo whether the page shows the accounts to try, and leads to GraphiQL. */
export async function readFrontEnd(isDemo: boolean): Promise<FrontEnd> {
  const html = await readFile(new URL('index.html', folder), 'utf8')
  const shown = isDemo ? html : html.replace('<meta name="demo" content="yes">', '')
  const names = await readdir(new URL('assets/', folder))
  const files = await Promise.all(
    names.map(async (name) => {
      const type = `${types[name.split('.').at(-1) ?? '']}; charset=utf-8`
      return [`/app/assets/${name}`, { type, body: await readFile(new URL(`assets/${name}`, folder)) }] as const
    }),
  )
  return { files: new Map(files), page: (nonce) => shown.replaceAll('nonce-of-the-page', nonce) }
}

import type { PageProvider } from '../../options/sign-in/provider-settings.ts'
import { returnField } from '../destination.ts'
import { fill, type Html, html } from '../html/html.ts'
import type { PageFrame } from '../html/page.ts'

/** The purposes of provider buttons, with the targets of their forms. */
const purposes = {
  'provider.sign-in': (name: string) => `/sign-in/with/${name}`,
  'provider.sign-up': (name: string) => `/sign-in/with/${name}`,
  'provider.confirm': (name: string) => `/confirm-provider/with/${name}`,
  'provider.link': (name: string) => `/account/providers/${name}/link`,
} as const

export interface ProviderButtons {
  readonly purpose: keyof typeof purposes
  readonly providers: Iterable<PageProvider>
  /** The destination of the browser; `null`: the application's home. */
  readonly returnTo: string | null
}

/** Returns a form with a button for each provider. */
export function providerButtons({ texts }: PageFrame, { purpose, providers, returnTo }: ProviderButtons): Html {
  const forms = Array.from(
    providers,
    ({ name, label }) => html`<form method="post" action="${purposes[purpose](name)}">
${returnField(returnTo)}<button type="submit" class="quiet">${fill(texts[purpose], { provider: label })}</button>
</form>
`,
  )
  return html`${forms}`
}

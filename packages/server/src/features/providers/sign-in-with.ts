import { readDestination } from '../../page-kit/destination.ts'
import { readForm } from '../../page-kit/forms/read-form.ts'
import type { Page } from '../../page-kit/page-parts.ts'
import { leadToProvider } from './lead-to-provider.ts'
import { namedProvider } from './named-provider.ts'

/** Starts a sign-in with a provider, which then redirects to `return_to`. */
export const signInWith: Page = {
  async take(request, parts) {
    const provider = namedProvider(request, parts)
    const { returnTo, asking } = await readDestination(request, parts, (await readForm(request))?.get('return_to'))
    return leadToProvider(request, parts, provider, {
      returnTo,
      asking,
      isAgain: parts.identity !== null && asking?.needs === 'sign-in',
      ...(asking !== null && asking.loginHint !== null && { loginHint: asking.loginHint }),
    })
  },
}

import { AccessError } from '@latchkey/graphql'
import type { HttpRequest } from '@latchkey/http'
import { readProviderName } from '../../options/sign-in/provider-paths.ts'
import type { PageProvider } from '../../options/sign-in/provider-settings.ts'
import type { PageParts } from '../../page-kit/page-parts.ts'

/** Returns the provider that the path of a request names. @throws AccessError `NOT_FOUND` */
export function namedProvider({ target }: HttpRequest, { providers }: Pick<PageParts, 'providers'>): PageProvider {
  const name = readProviderName(target)
  const provider = name === null ? undefined : providers?.byName.get(name)
  if (!provider) throw new AccessError('NOT_FOUND')
  return provider
}

import type { JsonMembers } from '../connection/json-object.ts'
import { openid } from './openid.ts'
import type { OpenIdProvider } from './provider.ts'

const origin = 'https://login.microsoftonline.com'
const guid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/

/** https://learn.microsoft.com/entra/identity-platform/id-token-claims-reference, `tid` */
const tenantOfPersons = '9188040d-6c67-4c5b-b112-36a304b66dad'

/**
 * https://learn.microsoft.com/entra/identity-platform/v2-protocols-oidc
 *
 * @throws TypeError for the name of a tenant: the issuer has the tenant's id.
 */
export function microsoft({ tenant }: { readonly tenant: string }): OpenIdProvider {
  const id = tenant === 'consumers' ? tenantOfPersons : tenant
  if (id !== 'common' && id !== 'organizations' && !guid.test(id)) {
    throw new TypeError('"tenant" must be the id of a tenant, "common", "organizations" or "consumers"')
  }
  return {
    ...openid({ issuer: `${origin}/${id}/v2.0`, name: 'microsoft', idTokenAlgorithms: ['RS256'] }),
    offline: { scopes: ['offline_access'] },
    // An administrator of any directory can write any address there: …/claims-validation, “xms_edov”
    isEmailVerified: ({ xms_edov }) => xms_edov === true || xms_edov === 1 || xms_edov === '1' || xms_edov === 'true',
    ...(!guid.test(id) && ofManyTenants(id)),
  }
}

/** The issuer contains the directory of `tid`: …/access-tokens#multitenant-applications */
function ofManyTenants(id: string): Pick<OpenIdProvider, 'announcedIssuer' | 'issuerOf'> {
  const isServed = (tid: string): boolean => guid.test(tid) && (id === 'common' || tid !== tenantOfPersons)
  return {
    announcedIssuer: `${origin}/{tenantid}/v2.0`,
    issuerOf: ({ tid }: JsonMembers) => (typeof tid === 'string' && isServed(tid) ? `${origin}/${tid}/v2.0` : null),
  }
}

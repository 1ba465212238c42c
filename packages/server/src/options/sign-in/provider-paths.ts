/** The paths that name a provider, as `providers.clients` does. */
const named = [
  /^(?<before>\/sign-in\/with\/)(?<name>[a-z\d-]{1,32})(?<after>\/callback|\/logout|)$/,
  /^(?<before>\/confirm-provider\/with\/)(?<name>[a-z\d-]{1,32})(?<after>)$/,
  /^(?<before>\/account\/providers\/)(?<name>[a-z\d-]{1,32})(?<after>\/link)$/,
] as const

/** The placeholder for a provider's name in the table of routes. */
const placeholder = ':name'

/** Returns whether a path of the table of routes is for every provider. */
export function isOfProvider(listed: string): boolean {
  return listed.includes(placeholder)
}

/** Returns the paths for an entry of the table of routes: a path for each provider, or the entry itself. */
export function pathsOfProviders(listed: string, names: readonly string[]): readonly string[] {
  return isOfProvider(listed) ? names.map((name) => listed.replace(placeholder, name)) : [listed]
}

/** Returns the name of a provider in the target of a request, or `null`. */
export function readProviderName(target: string): string | null {
  return readParts(target.split('?', 1)[0] ?? '')?.name ?? null
}

function readParts(path: string): Readonly<Record<string, string>> | null {
  for (const pattern of named) {
    const { groups } = pattern.exec(path) ?? {}
    if (groups) return groups
  }
  return null
}

/** Returns whether a text can name a provider in a path. */
export function isProviderName(text: string): boolean {
  return /^[a-z\d](?:[a-z\d-]{0,30}[a-z\d])?$/.test(text)
}

/** Returns the path to which a provider redirects browsers. */
export function callbackPath(name: string): string {
  return `/sign-in/with/${name}/callback`
}

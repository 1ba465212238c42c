/**
 * Gives a package that the application may have installed, or `null`. The name comes as a value, and with comments, so
 * that no bundler demands the package or swallows its native parts.
 */
export async function importOptional(name: string): Promise<unknown> {
  try {
    return await import(/* webpackIgnore: true */ /* @vite-ignore */ name)
  } catch {
    return null
  }
}

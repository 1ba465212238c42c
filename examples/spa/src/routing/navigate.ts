import { useSyncExternalStore } from 'react'

/** The state of a history entry that a link of this page has opened. */
export const opened = 'opened'

/** Opens another view without loading the page. */
export function navigate(path: string, { replaces = false }: { readonly replaces?: boolean } = {}): void {
  history[replaces ? 'replaceState' : 'pushState'](opened, '', path)
  dispatchEvent(new PopStateEvent('popstate'))
  scrollTo(0, 0)
}

/** Returns the path of the current view. */
export function usePath(): string {
  return useSyncExternalStore(onNavigation, () => location.pathname)
}

function onNavigation(listener: () => void): () => void {
  addEventListener('popstate', listener)
  return () => removeEventListener('popstate', listener)
}

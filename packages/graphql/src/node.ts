export {
  toUpgradeListener,
  type UpgradeListener,
  type UpgradeListenerOptions,
} from './subscriptions/to-upgrade-listener.ts'

import icon from '../theme/icon.svg'
import styles from './brand.module.css'

/** The name of what this is the console of. */
export function Brand() {
  return (
    <span className={styles.brand}>
      <img src={icon} alt="" width={28} height={28} />
      <span>
        Confidential
        <br />
        Inference Router
      </span>
    </span>
  )
}

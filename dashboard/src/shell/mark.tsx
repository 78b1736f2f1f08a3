/** The product's logo. */
export const Mark = ({ size }: { size: number }) => <img src="/favicon.svg" alt="" width={size} height={size} />;

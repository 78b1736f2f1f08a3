export type Attributes = Record<string, unknown>;

/** What changes the attributes of a block. */
export type FieldsProps = { attrs: Attributes; set: (change: Attributes) => void };

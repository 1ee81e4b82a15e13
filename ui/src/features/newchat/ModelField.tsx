import type { HarnessModel } from "../../host";
import { Suggest } from "../../kit/Suggest";

export interface ModelFieldProps {
  value: string;
  models: HarnessModel[];
  /** Why the list is not there. */
  trouble: string | null;
  onChange: (value: string) => void;
}

/** A model list is an offer: any id can be typed; empty means the harness's own default. */
export function ModelField({ value, models, trouble, onChange }: ModelFieldProps) {
  const standard = models.find(({ is_default }) => is_default);
  const today = standard?.resolves_to ?? standard?.name;
  const typed = value.trim().toLowerCase();
  const exact = models.some(({ id }) => id === value);
  const offers = models.filter(
    ({ id, name, resolves_to }) => exact || typed === "" || `${id} ${name} ${resolves_to ?? ""}`.toLowerCase().includes(typed),
  );
  return (
    <Suggest
      label="Model"
      value={value}
      placeholder={today ? `Harness default (today: ${today})` : "Harness default"}
      items={offers
        .filter(({ is_default }) => !is_default)
        .map((model) => ({ value: model.id, label: model.name, hint: model.description ?? undefined, end: model.resolves_to ?? undefined }))}
      onChange={onChange}
      onChoose={onChange}
      hint={trouble ?? (value && models.length > 0 && !exact ? "Not in the harness's list; it is passed on as typed." : undefined)}
      nothing="No model in the list has this name; it is passed on as typed"
    />
  );
}

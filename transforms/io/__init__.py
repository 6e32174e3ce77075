"""What all stages share, whatever they compute: shuffles, scratch folders, counts and runners."""
